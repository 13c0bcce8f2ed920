"""Other systems doing the work of the benchmarks, each in an environment of its own."""
