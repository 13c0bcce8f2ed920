"""The record of sent alerts and the read model in SQLite files."""
