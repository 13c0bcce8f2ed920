"""The local engine: runs flows in one process, in milliseconds, with state that outlives the process."""
