"""What `scripts/soak movies` runs: movies of many kinds, copied and cut, and what FFmpeg shows of the copies."""
