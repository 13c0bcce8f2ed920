"""State stores on the local disk, by RocksDB, for state that is larger than memory."""
