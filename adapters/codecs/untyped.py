"""Type hints that do not determine the type of a value."""

from typing import Any, Final

from eddyline.application.topology.types import UNKNOWN

UNTYPED: Final = (Any, object, UNKNOWN)
"""The type hints of values that may be of any type."""
