"""Traces of runs with OpenTelemetry."""
