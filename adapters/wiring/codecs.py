"""The codecs of topics, and codecs by name for commands that read and write single records."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from eddyline.adapters.codecs.installed import BUILT_IN, installed_codecs
from eddyline.adapters.codecs.topic_codecs import TopicCodecs
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.codecs.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.adapters.codecs.windowed_keys import WindowedKeyCodecs
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.schema import json_schema_of
from eddyline.adapters.primitive.codec import CODECS
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.extras import extra
from eddyline.adapters.wiring.schema_encoders import schema_encoder
from eddyline.application.ports.codec import Codec, Codecs

if TYPE_CHECKING:
    from eddyline.adapters.registry.format import FormatFactory

_KINDS = {int: "an integer", float: "a number", UUID: "a UUID such as 123e4567-e89b-12d3-a456-426614174000"}
_WITH_SCHEMAS = frozenset(("avro", "json-schema", "protobuf"))


def topic_codecs(settings: Settings) -> Codecs:
    """Return the codecs of all topics, as the settings choose them."""
    chosen = {settings.default_key_codec, settings.default_value_codec}
    chosen |= {*settings.key_codecs.values(), *settings.value_codecs.values()}
    choices = TypeChoices(settings.type_choices())
    if chosen == {"json"}:
        return JsonCodecs(choices=choices)
    formats: dict[str, Codecs] = {"json": JsonCodecs(choices=choices)}
    formats |= {name: WindowedKeyCodecs(PrimitiveCodecs(name), settings.window_size_ms) for name in CODECS}
    for name in sorted(chosen & _WITH_SCHEMAS):
        formats[name] = WindowedKeyCodecs(_with_schemas(settings, name), settings.window_size_ms)
    formats |= {name: WindowedKeyCodecs(installed_codecs(name), settings.window_size_ms) for name in chosen - {*BUILT_IN}}
    return TopicCodecs(
        formats,
        default_key=settings.default_key_codec,
        default_value=settings.default_value_codec,
        state="json",
        keys=settings.key_codecs,
        values=settings.value_codecs,
    )


def _with_schemas(settings: Settings, name: str) -> Codecs:
    with extra("protobuf" if name == "protobuf" else "avro"):
        from eddyline.adapters.registry.client import SchemaRegistry
        from eddyline.adapters.registry.codecs import RegistryCodecs
        from eddyline.adapters.registry.settings import RegistrySettings
    registry = SchemaRegistry(RegistrySettings.from_properties(settings.registry_properties()))
    return RegistryCodecs(registry, _formats(settings, name, TypeChoices(settings.type_choices())))


def _formats(settings: Settings, name: str, choices: TypeChoices) -> "FormatFactory":
    if name == "avro":
        with extra("avro"):
            from eddyline.adapters.avro.format import AvroFormats
            from eddyline.adapters.avro.options import AvroOptions
        return AvroFormats(AvroOptions.from_properties(settings.avro), choices)
    if name == "protobuf":
        with extra("protobuf"):
            from eddyline.adapters.protobuf.format import ProtobufFormats
        return ProtobufFormats(choices)
    from eddyline.adapters.registry.json_schema import JsonSchemaFormats

    return JsonSchemaFormats(JsonCodecs(quoted=True, choices=choices), json_schema_of, choices)


def _parsed(kind: type, text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"not {_KINDS[kind]}") from None


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


class RecordCodecs:
    """The codecs of single records by name, without the type of a flow."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def codec(self, name: str, topic: str, *, key: bool) -> Codec:
        """Return the codec for the keys or the values of a topic; those with schemas can only decode.

        Raises:
            KeyError: there is no codec of this name.
            InstalledCodecError: the codec of an installed package cannot be used.
        """
        if name == "json":
            return JsonCodecs().for_value(topic, Any)
        if name not in CODECS:
            codecs = _with_schemas(self._settings, name) if name in _WITH_SCHEMAS else installed_codecs(name)
            return codecs.for_key(topic, Any) if key else codecs.for_value(topic, Any)
        return CODECS[name][1]

    def windowed(self, key: Codec, size_ms: int | None) -> Codec:
        """Return the codec of keys in time windows of this size in ms, or in sessions for None."""
        return SessionWindowedCodec(key) if size_ms is None else TimeWindowedCodec(key, size_ms)

    def text_encoder(self, name: str, topic: str, schema: str | None, *, key: bool) -> Callable[[str], bytes | None]:
        """Return what encodes text, such as a line that a user has typed; it raises ValueError for text of another kind.

        Args:
            name: The codec.
            topic: The topic.
            schema: The schema to register and to write with, for codecs with schemas; None is the latest one of the topic.
            key: Whether to encode keys.

        Raises:
            ValueError: the registry has no schema for the topic, or the schema is invalid.
        """
        if name in _WITH_SCHEMAS:
            return schema_encoder(self._settings, name, topic, schema, key=key)
        if name in CODECS:
            kind, primitive = CODECS[name]
            return lambda text: primitive.encode(text.encode() if kind is bytes else _parsed(kind, text))
        codec = self.codec(name, topic, key=key)
        if name == "json":
            return lambda text: codec.encode(codec.decode(text.encode()))
        return lambda text: codec.encode(_json_or_text(text))
