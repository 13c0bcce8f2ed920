"""Sales: the flow large-sales."""
