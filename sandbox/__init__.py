"""The embedded cluster: a real control plane, one real node and simulated ones, on this machine."""
