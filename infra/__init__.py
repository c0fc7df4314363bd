"""The program: a stack file becomes a cluster that shares its idle capacity with training."""
