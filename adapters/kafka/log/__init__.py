"""Reading the partitions of a topic without a consumer group."""
