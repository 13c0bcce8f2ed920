"""Functions that choose the topic of each record."""

from collections.abc import Callable
from typing import Any

from eddyline.application.topology.types import required_parameters

_WITH_CONTEXT = 3


def takes_context(topic: str | Callable[..., Any]) -> bool:
    """Return whether a topic is a function of (key, value, context), not one of (key, value) or a name."""
    return not isinstance(topic, str) and required_parameters(topic) == _WITH_CONTEXT
