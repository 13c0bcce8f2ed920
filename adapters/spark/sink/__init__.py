"""The sink: results of a batch written to the event sink."""
