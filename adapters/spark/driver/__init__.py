"""The driver: the session, the checkpoint, signals, progress and the streaming query."""
