"""Sync of network cameras whose clocks are wrong, over a long time (scripts/soak sync)."""
