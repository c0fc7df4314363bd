"""What colocation brings, measured over a window: of a Prometheus, and as pictures."""
