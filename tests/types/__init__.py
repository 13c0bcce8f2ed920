"""The types of keys, values and state, in every format."""
