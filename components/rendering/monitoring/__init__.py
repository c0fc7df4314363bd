"""What the monitoring stack is told, in its own spelling: pure functions."""
