"""How one task runs: order of records, stream time, punctuation, drops; the same code under every engine."""
