"""Trading: the flows stock-stats, daily-range and top-movers."""
