"""The log files of programs, read as events."""
