"""Describes flows as AsyncAPI 3.0 documents."""
