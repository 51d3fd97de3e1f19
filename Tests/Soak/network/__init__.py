"""Recordings of network cameras that fail, from a seed (scripts/soak network)."""
