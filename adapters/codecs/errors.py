"""Errors about values that a codec cannot encode or decode, and their wording."""

from typing import Self

from eddyline.application.ports.codec import in_one_line
from eddyline.application.topology.forms import described, expected_found, shortened

__all__ = ["MismatchError", "described", "expected_found", "in_one_line", "shortened"]


class MismatchError(Exception):
    """A value or a writer's schema does not match a type.

    Args:
        reason: what is expected and what was found.
        path: the path of the field, as in `.legs[3].price`.
    """

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path.lstrip('.')}: {reason}" if path else reason)
        self.reason = reason
        self.path = path

    def within(self, parent: str) -> Self:
        """Return this error with the path of a parent before its own path."""
        return type(self)(self.reason, parent + self.path)
