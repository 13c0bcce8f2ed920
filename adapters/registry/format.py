"""What a format must know so that its schemas can live in the registry; formats know nothing of the registry."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from eddyline.adapters.registry.subjects import Part

Reader: TypeAlias = Callable[[bytes, int], Any]
"""Gives the value in bytes from an offset on. Raises CodecError."""


class Format(Protocol):
    """How values of one Python type become bytes of one kind of schema."""

    @property
    def kind(self) -> str:
        """The registry's name of the kind of schema: AVRO, JSON."""

    @property
    def schema_text(self) -> str:
        """The schema of the type, the same text for the same type."""

    @property
    def record_name(self) -> str | None:
        """The full name of the record that the schema describes, None where it is no record."""

    def reader(self, schema: str, references: tuple[str, ...]) -> Reader:
        """How values are read that were written with the schema, which refers to others. Raises CodecError if they cannot be."""

    def gaps(self, schema: str, references: tuple[str, ...]) -> tuple[str, ...]:
        """What values written with the schema cannot all be read, in words; nothing where all can be."""

    def payload(self, value: Any, prefix: bytes) -> bytes:
        """The prefix and the value. Raises CodecError for a value that is not of the type."""


FormatOf: TypeAlias = Callable[[str, Part, Any], Format]
"""Gives the format for a topic's keys or values of a Python type. Raises TypeError for a type that it cannot hold."""
