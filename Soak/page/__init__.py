"""What `scripts/soak page` runs: how well the page keeps up, and what it costs."""
