"""The record of sent alerts in SQLite files."""
