"""The program of `scripts/soak api`: schemathesis with both OpenAPI descriptions."""
