"""Monitoring of runs."""
