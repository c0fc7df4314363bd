"""Measurements that anyone can run again; each prints its own table."""
