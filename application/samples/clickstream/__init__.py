"""What visitors of a site do."""
