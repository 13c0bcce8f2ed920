"""JSON with a registered JSON Schema.

The codec of the JSON, and the schema of a Python type, are passed in.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from eddyline.adapters.codecs.field_names import camel_case
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.registry.event_types import event_types
from eddyline.adapters.registry.format import Decode
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.application.ports.codec import Codec, CodecError, Codecs, TopicTypes
from eddyline.application.topology.types import Names

SchemaOf: TypeAlias = Callable[[Any, Names], Mapping[str, Any]]
"""Returns the JSON Schema of a Python type with these names of fields."""

_DRAFT: Final = "http://json-schema.org/draft-07/schema#"
"""The draft whose schemas registries can compare, for schemas that do not name one."""

_DEFINITIONS: Final = "#/$defs/"


class JsonSchemaFormat:
    """JSON of a codec that validates values itself, and a schema that describes them to other programs.

    Args:
        codec: encodes and decodes the JSON.
        schema: the JSON Schema of the codec's values.
        codecs_by_title: the codecs of the types of a union, by the title of their schemas.
        check: raises UnsupportedTypeError if the type can only be read.
    """

    schema_type = "JSON"

    def __init__(
        self,
        codec: Codec,
        schema: Mapping[str, Any],
        codecs_by_title: Mapping[str | None, Codec] | None = None,
        check: Callable[[], None] | None = None,
    ) -> None:
        self._codec = codec
        self._codecs_by_title = codecs_by_title or {}
        self._schema = schema
        self._text = json.dumps({"$schema": _DRAFT, **schema}, separators=(",", ":"))
        self._check = check

    @property
    def schema_text(self) -> str:
        """The schema as it is registered. Raises UnsupportedTypeError for a type that can only be read."""
        if self._check is not None:
            self._check()
        return self._text

    @property
    def record_name(self) -> str | None:
        return title_of(self._schema)

    def decoder(self, schema: str, references: tuple[tuple[str, str], ...]) -> Decode:  # noqa: ARG002 - only its title tells something
        decode = self._codecs_by_title.get(_title_of_text(schema) if self._codecs_by_title else None, self._codec).decode
        return lambda data, offset: decode(data[offset:])

    def incompatibilities(self, schema: str, references: tuple[tuple[str, str], ...]) -> tuple[str, ...]:  # noqa: ARG002 - likewise
        return ()

    def unmatched_fields(self, schema: str, references: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
        del references
        theirs, ours = _properties(schema), _properties(self._text)
        if theirs is None or ours is None:
            return ()
        spellings = {camel_case(name) for name in theirs}
        return tuple(name for name in ours if camel_case(name) not in spellings)

    def respelled_fields(self, schema: str, references: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        del references
        theirs, ours = _properties(schema) or (), _properties(self._text) or ()
        by_spelling = {camel_case(name): name for name in ours}
        pairs = ((name, by_spelling.get(camel_case(name), name)) for name in theirs if name not in ours)
        return tuple((there, here) for there, here in pairs if there != here)

    def encode(self, value: Any, prefix: bytes) -> bytes:
        data = self._codec.encode(value)
        if data is None:
            raise CodecError("the JSON codec encoded it as None")
        return prefix + data


class JsonSchemaFormats:
    """A factory of the JSON Schema formats of topics' keys and values.

    Args:
        codecs: encode and decode the JSON.
        schema_of: returns the JSON Schema of a Python type.
        choices: the names of fields in topics.
    """

    def __init__(self, codecs: Codecs, schema_of: SchemaOf, choices: TypeChoices | None = None) -> None:
        self._codecs, self._schema_of, self._choices = codecs, schema_of, choices or TypeChoices()

    def configured(self, choices: Mapping[str, str]) -> "JsonSchemaFormats":
        """Return the factory with the choices of a flow where the settings make none."""
        return JsonSchemaFormats(self._codecs.configured(choices), self._schema_of, self._choices.over(choices))

    def __call__(self, context: SerializationContext, hint: Any) -> JsonSchemaFormat:
        codec_for = self._codecs.for_key if context.field == "key" else self._codecs.for_value
        names = self._choices.names(context.topic)
        by_title = {title_of(self._schema_of(each, names)): codec_for(context.topic, each) for each in event_types(hint)}
        types = TopicTypes(context.topic, *((hint, None) if context.field == "key" else (None, hint)))
        check = partial(self._codecs.check, (), (types,))
        return JsonSchemaFormat(codec_for(context.topic, hint), self._schema_of(hint, names), by_title, check)


def title_of(schema: Any) -> str | None:
    """Return the title of a JSON Schema, or of the definition that it refers to; None for anything else."""
    if not isinstance(schema, Mapping):
        return None
    reference, definitions = schema.get("$ref"), schema.get("$defs")
    if isinstance(reference, str) and isinstance(definitions, Mapping):
        definition = definitions.get(reference.removeprefix(_DEFINITIONS))
        schema = definition if isinstance(definition, Mapping) else {}
    title = schema.get("title")
    return None if title is None else str(title)


def _properties(text: str) -> tuple[str, ...] | None:
    """Return the names of the properties at the top level of a JSON Schema; None for a schema without them."""
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        return None
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return tuple(properties) if isinstance(properties, Mapping) else None


def _title_of_text(text: str) -> str | None:
    try:
        return title_of(json.loads(text))
    except (ValueError, RecursionError):
        return None
