"""Output on the console."""
