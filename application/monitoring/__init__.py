"""Monitoring of running flows: what a run does, and why its windows are open."""
