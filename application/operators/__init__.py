"""The semantics of every operator: functions over records and stores, which the runtime links into one chain of calls."""
