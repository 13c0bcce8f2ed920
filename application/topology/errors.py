"""What can go wrong while a topology is built; every message names the step, the choices and the cure."""

from collections.abc import Iterable


class TopologyError(ValueError):
    """The topology cannot be built as it is said."""


def listed(names: Iterable[str]) -> str:
    """Names for an error message, in order, or `none`."""
    return ", ".join(names) or "none"
