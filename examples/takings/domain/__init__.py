"""What a shop takes in a span of time; the standard library only."""
