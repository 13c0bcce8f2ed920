"""Types that say nothing about a value."""

from typing import Any, Final

from eddyline.application.topology.types import UNKNOWN

UNTYPED: Final = (Any, object, UNKNOWN)
"""The types of values that may be anything."""
