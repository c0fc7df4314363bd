"""The cluster as it is at one moment. It is read, never written."""
