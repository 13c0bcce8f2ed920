"""JSON with its JSON Schema in the registry, around the bytes of an ordinary JSON codec.

How a type becomes JSON and JSON Schema is not known here; both are handed in.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from eddyline.adapters.registry.format import Reader
from eddyline.adapters.registry.subjects import Part
from eddyline.application.ports.codec import Codec, CodecError, Codecs

SchemaOf: TypeAlias = Callable[[Any], Mapping[str, Any]]
"""Gives the JSON Schema of a Python type."""


_DIALECT = "http://json-schema.org/draft-07/schema#"
"""What registries can compare; a schema that names its own dialect keeps it."""


class JsonSchemaFormat:
    """JSON by an inner codec, which knows the Python type and so does the checking; the schema tells others what to expect."""

    kind = "JSON"

    def __init__(self, inner: Codec, schema: Mapping[str, Any]) -> None:
        self._inner = inner
        self._schema = schema
        self.schema_text = json.dumps({"$schema": _DIALECT, **schema}, separators=(",", ":"))

    @property
    def record_name(self) -> str | None:
        title = self._schema.get("title")
        return None if title is None else str(title)

    def reader(self, schema: str, references: tuple[str, ...]) -> Reader:  # noqa: ARG002 - JSON says its own structure
        decode = self._inner.decode
        return lambda data, offset: decode(data[offset:])

    def gaps(self, schema: str, references: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - likewise
        return ()

    def payload(self, value: Any, prefix: bytes) -> bytes:
        data = self._inner.encode(value)
        if data is None:
            raise CodecError("it became no bytes at all")
        return prefix + data


class JsonSchemaFormats:
    """Gives the format of a topic's keys or values; `inner` makes the JSON, `schema_of` the JSON Schema."""

    def __init__(self, inner: Codecs, schema_of: SchemaOf) -> None:
        self._inner = inner
        self._schema_of = schema_of

    def __call__(self, topic: str, part: Part, hint: Any) -> JsonSchemaFormat:
        codec = self._inner.for_key(topic, hint) if part == "key" else self._inner.for_value(topic, hint)
        return JsonSchemaFormat(codec, self._schema_of(hint))
