"""A Kafka broker and a schema registry as processes of this machine, for development and tests; loopback only, no containers."""
