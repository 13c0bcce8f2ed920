"""How payments flow through the domain."""
