"""The exchange: how records travel between tasks, many in one row of Spark."""
