"""How the keys and values of topics are encoded, as a document says it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Content:
    """The encoding of keys or values.

    Args:
        media_type: The media type of the bytes.
        schema: The schema of the values.
        schema_format: The media type of the schema; None for JSON Schema.
        registered: Whether the bytes begin with the id of the schema in a schema registry.
    """

    media_type: str
    schema: Any
    schema_format: str | None = None
    registered: bool = False


class ContentOf(Protocol):
    """Returns how the keys or the values of a topic are encoded."""

    def __call__(self, topic: str, hint: Any, *, key: bool) -> Content:
        """Return the content for a Python type.

        Raises:
            TypeError: The codec of the topic cannot represent the type.
        """


ANYTHING: Mapping[str, Any] = {"description": "Any JSON value."}
"""The schema of values whose type is not declared."""
