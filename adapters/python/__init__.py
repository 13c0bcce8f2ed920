"""The Python API for applications that run elsewhere: their state."""
