"""A task: one partition of a sub-topology, from the records of its queues to its output and its state."""
