"""The program of `scripts/soak page`: measures the lag of the page and its cost."""
