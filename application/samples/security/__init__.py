"""Robots and malware."""
