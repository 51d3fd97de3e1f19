"""The recorder side by side with what people use today; scripts/bench runs it."""
