"""The command `eddyline`: one file a command; each says what it did, and in one line what went wrong."""
