"""The schema registry: the only room that knows its client; the codecs whose schemas live there stand on it."""
