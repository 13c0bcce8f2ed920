"""Shared by the codecs of all formats: windowed keys, the choice of a codec by topic, error messages. Standard library only."""
