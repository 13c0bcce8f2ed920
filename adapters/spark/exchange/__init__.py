"""The exchange: carries records between tasks, many in one row of Spark."""
