"""What scripts/words checks: `vocabulary` has the words, `languages` takes files apart, `texts` says what is read of them,
`check` finds the words, `self_test` plants some."""
