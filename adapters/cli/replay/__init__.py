"""Replays recorded test cases through topologies and returns what they emit, for comparison with other implementations."""
