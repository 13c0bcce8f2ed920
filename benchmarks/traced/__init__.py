"""Programs that write down when they reach the steps of their work, for benchmarks that say where the time goes."""
