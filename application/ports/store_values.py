"""What all implementations of state stores do with keys."""


def null_key(store: str) -> ValueError:
    """Return the error for a null key, which Kafka Streams' stores refuse too."""
    return ValueError(f"store '{store}' takes no entry with the key None; drop records without a key before they reach the store")
