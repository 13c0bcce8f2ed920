"""The queries, each a function that adds a topology of a few operators to a builder and writes to the topic of its name."""
