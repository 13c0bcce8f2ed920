"""Alerts over HTTP."""
