"""The error of an invalid topology. Every message has the operator, the invalid value, the valid choices and the fix."""

from collections.abc import Iterable


class TopologyError(ValueError):
    """A topology is invalid, found while it is built."""


def listed(names: Iterable[str]) -> str:
    """Return the names for an error message, separated by commas, or `none`."""
    return ", ".join(names) or "none"
