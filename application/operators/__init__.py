"""What each verb means: pure functions over records and stores, linked into one chain of calls by the runtime."""
