"""The interface of formats whose schemas are registered, such as Avro; formats know nothing of the registry."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from eddyline.adapters.registry.serialization_context import SerializationContext

Decode: TypeAlias = Callable[[bytes, int], Any]
"""Decodes the value that begins at an offset and ends with the data. Raises CodecError."""


class Format(Protocol):
    """A format of values of one Python type, with one type of schema."""

    @property
    def schema_type(self) -> str:
        """The type of schema by its name in the registry: AVRO, JSON or PROTOBUF."""

    @property
    def schema_text(self) -> str:
        """The schema of the Python type; the same text for the same type."""

    @property
    def record_name(self) -> str | None:
        """The full name of the record, message or enum that the schema describes; None for any other schema."""

    def decoder(self, schema: str, references: tuple[tuple[str, str], ...]) -> Decode:
        """Return the decoder of values written with a schema.

        Args:
            schema: the writer's schema.
            references: names and texts of the schemas that it refers to, each after those that it refers to itself.

        Raises:
            CodecError: no value of the schema can be decoded as the Python type.
        """

    def incompatibilities(self, schema: str, references: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
        """Return why some or all values written with a schema cannot be decoded; empty if all can be.

        Raises:
            CodecError: the schema is invalid.
        """

    def unmatched_fields(self, schema: str, references: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
        """Return the fields of the Python type that a writer's schema does not have, so that they take their defaults."""

    def respelled_fields(self, schema: str, references: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """Return the fields of a schema that this format writes in another spelling: their names there, and here."""

    def encode(self, value: Any, prefix: bytes) -> bytes:
        """Return the prefix followed by the encoded value.

        Raises:
            CodecError: the value is not of the Python type.
        """


class FormatFactory(Protocol):
    """Makes the formats of topics' keys and values."""

    def __call__(self, context: SerializationContext, hint: Any, /) -> Format:
        """Return the format for a Python type. Raises TypeError for a type that it cannot represent."""

    def configured(self, choices: Mapping[str, str]) -> "FormatFactory":
        """Return the factory with the choices of a flow, of names and types, where the settings make none."""
