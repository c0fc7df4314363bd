"""What training on the same node does to the answers of an online service, and what prevents that."""
