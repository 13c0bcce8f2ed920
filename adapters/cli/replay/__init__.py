"""Runs recorded cases through topologies and gives what they emit and keep, for comparison with another implementation."""
