"""Where the output of tasks goes: to other tasks, or by the event sink to topics, which are created first."""
