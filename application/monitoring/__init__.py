"""What a running flow does, kept while it runs: its counts, rates, positions and state, and why its windows are open."""
