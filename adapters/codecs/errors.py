"""The wording of errors about values that a codec cannot encode."""

from eddyline.application.topology.forms import described, expected_found, shortened

__all__ = ["described", "expected_found", "in_one_line", "shortened"]


def in_one_line(error: BaseException) -> str:
    """Return the class and the message of an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
