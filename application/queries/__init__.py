"""Interactive queries: what the state stores of a running flow contain, and how fresh that is."""
