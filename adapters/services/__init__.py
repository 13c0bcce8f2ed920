"""A Kafka broker and a schema registry as local processes, for development and tests; without containers, on loopback only."""
