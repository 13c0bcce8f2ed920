"""Encoders of text with a schema of the registry, for commands that write single records."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.extras import extra

if TYPE_CHECKING:
    from eddyline.adapters.avro.json_values import JsonValueEncoder
    from eddyline.adapters.protobuf.format import JsonMessageEncoder

_TYPES = {"avro": "AVRO", "json-schema": "JSON", "protobuf": "PROTOBUF"}


def schema_encoder(settings: Settings, codec: str, topic: str, schema: str | None, *, key: bool) -> Callable[[str], bytes]:
    """Return what encodes JSON text with a schema; text that is not JSON is a string if the schema is one.

    Args:
        settings: The schema registry.
        codec: `avro`, `json-schema` or `protobuf`.
        topic: The topic.
        schema: The schema to register; None is the latest one of the topic.
        key: Whether to encode keys.

    Raises:
        ValueError: the registry has no schema for the topic, or one of another type, or the schema is invalid.
    """
    with extra("protobuf" if codec == "protobuf" else "avro"):
        from eddyline.adapters.registry.client import SchemaRegistry
        from eddyline.adapters.registry.serialization_context import SerializationContext
        from eddyline.adapters.registry.settings import RegistrySettings
        from eddyline.adapters.registry.wire_format import schema_id_prefix
    registry = SchemaRegistry(RegistrySettings.from_properties(settings.registry_properties()))
    context = SerializationContext(topic, "key" if key else "value")
    strategy = registry.settings.strategy(context)
    try:
        if schema is not None:
            name = json.loads(schema).get("title") if codec == "json-schema" else _encoder_class(codec)(schema).record_name
            schema_id = registry.register_schema(strategy.subject(context, name), _TYPES[codec], schema)
            text, references = schema, tuple[tuple[str, str], ...]()
        else:
            subject = strategy.subject(context, None)
            latest, found = registry.get_latest_schema(subject), registry.get_latest_schema_id(subject)
            if latest is None or found is None:
                raise ValueError(
                    f"subject '{subject}' has no schema in the registry; "
                    f"give one with --{context.field}-schema FILE, or run a flow that writes the topic"
                )
            if latest.schema_type != _TYPES[codec]:
                raise ValueError(
                    f"subject '{subject}' has a schema of type {latest.schema_type}; choose another codec than {codec}"
                )
            schema_id, text, references = found, latest.text, latest.references
        prefix = schema_id_prefix(schema_id)
        if codec == "json-schema":
            return lambda line: prefix + json.dumps(_json(line), ensure_ascii=False, separators=(",", ":")).encode()
        encoder = _encoder_class(codec)(text, references)
    except LookupError as invalid:
        raise ValueError(str(invalid)) from invalid
    return lambda line: encoder.encode(line if encoder.is_text else _json(line), prefix)


def _encoder_class(codec: str) -> "type[JsonValueEncoder | JsonMessageEncoder]":
    if codec == "protobuf":
        with extra("protobuf"):
            from eddyline.adapters.protobuf.format import JsonMessageEncoder
        return JsonMessageEncoder
    with extra("avro"):
        from eddyline.adapters.avro.json_values import JsonValueEncoder
    return JsonValueEncoder


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from None
