"""NEXMark: the queries of a benchmark for stream processors, over the events of an online auction."""
