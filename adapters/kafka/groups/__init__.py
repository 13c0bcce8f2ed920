"""Consumer groups: consuming as a member, committed offsets, lag, and resetting offsets."""
