"""Pulumi components, one a file; none imports another."""
