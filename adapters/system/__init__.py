"""Adapters for the operating system."""
