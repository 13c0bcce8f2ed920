"""How tasks run: queues, order of records, stream time, punctuation, output, dead letters; the same code for every engine."""
