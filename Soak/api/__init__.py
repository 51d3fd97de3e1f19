"""What `scripts/soak api` runs: schemathesis against both descriptions of what can be asked over HTTP."""
