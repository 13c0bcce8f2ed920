"""In-memory adapters: the engine for tests and replays, and implementations of the ports that double as test fakes."""
