"""What a running flow does: its counts, rates, positions and state, kept while it runs."""
