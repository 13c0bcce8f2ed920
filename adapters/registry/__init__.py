"""The client of the schema registry, and codecs whose schemas are registered there."""
