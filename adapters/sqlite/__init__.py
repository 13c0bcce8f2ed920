"""Stores in files of SQLite: state that is larger than memory, or that outlives a process without an engine's checkpoint."""
