"""Logging to topics: a handler for Python's `logging` that writes log events, which the sample flow log-triage reads."""

from eddyline.adapters.python.log_handler import TopicHandler

__all__ = ["TopicHandler"]
