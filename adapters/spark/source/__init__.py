"""The source: the event log as a streaming source of Spark."""
