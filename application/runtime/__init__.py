"""Runs tasks: queues, order of records, stream time, punctuation, output and dead letters, the same for every engine."""
