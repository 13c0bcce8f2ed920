"""Words in text."""
