"""Lineage: which input records a result was made of, found by replaying the tasks with tracking on."""
