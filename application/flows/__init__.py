"""Our business: one topology a file, and the registry that lists them."""
