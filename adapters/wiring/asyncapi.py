"""The AsyncAPI document of a flow: the settings choose servers, codecs and schemas."""

from functools import partial
from typing import Any, Final, get_args, get_origin

from eddyline.adapters.asyncapi.contents import ANYTHING, Content
from eddyline.adapters.asyncapi.document import Application, as_yaml, asyncapi_document
from eddyline.adapters.asyncapi.servers import servers
from eddyline.adapters.codecs.installed import BUILT_IN
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.codecs.untyped import UNTYPED
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.schema import json_schema_of
from eddyline.adapters.json.windowed import windowed_schema
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.adapters.settings import DEFAULT_BOOTSTRAP_SERVERS, Settings
from eddyline.adapters.wiring.extras import extra
from eddyline.application.topology import Topology
from eddyline.application.topology.types import Names, without_none
from eddyline.application.topology.windows import Windowed

_AVRO_SCHEMA: Final = "application/vnd.apache.avro;version=1.9.0"
_PROTOBUF: Final = "application/x-protobuf"
_PROTOBUF_SCHEMA: Final = "application/vnd.google.protobuf;version=3"
_BINARY: Final = "application/octet-stream"
_TEXT: Final = Content("text/plain", {"type": "string"})
_PRIMITIVES: Final = {
    "string": _TEXT,
    "uuid": Content("text/plain", {"type": "string", "format": "uuid"}),
    "bytes": Content(_BINARY, {"type": "string", "format": "binary"}),
    "int": Content(_BINARY, {"type": "integer", "format": "int32"}),
    "long": Content(_BINARY, {"type": "integer", "format": "int64"}),
    "double": Content(_BINARY, {"type": "number", "format": "double"}),
}


class AsyncApi:
    """The AsyncAPI documents of flows with these settings."""

    as_yaml = staticmethod(as_yaml)

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def document(self, topology: Topology, *, title: str, description: str, version: str, application_id: str) -> dict[str, Any]:
        """Return the document of a flow as JSON; it connects to nothing.

        Args:
            topology: The topology of the flow.
            title: The name of the flow.
            description: A sentence about the flow.
            version: The version of the document.
            application_id: The application as which the flow runs.

        Raises:
            TypeError: A codec cannot represent a type.
        """
        application = Application(title, description, version, application_id, self._servers())
        choices = TypeChoices(self._settings.type_choices()).over(topology.type_choices)
        return asyncapi_document(application, topology, partial(self._content, choices))

    def _servers(self) -> Any:
        settings = self._settings
        if settings.log != "kafka":
            return {}
        properties = {"bootstrap.servers": DEFAULT_BOOTSTRAP_SERVERS, **settings.kafka_properties()}
        return servers(properties, settings.registry_properties().get("url"))

    def _content(self, choices: TypeChoices, topic: str, hint: Any, *, key: bool) -> Content:
        settings = self._settings
        codec = (
            settings.key_codecs.get(topic, settings.default_key_codec)
            if key
            else settings.value_codecs.get(topic, settings.default_value_codec)
        )
        declared = without_none(hint)
        if key and get_origin(declared) is Windowed:
            return self._windowed(choices, topic, codec, get_args(declared)[0])
        return self._plain(choices, topic, codec, declared, key=key)

    def _windowed(self, choices: TypeChoices, topic: str, codec: str, key_type: Any) -> Content:
        if codec == "json":
            untyped = key_type in UNTYPED
            return Content(
                "application/json", windowed_schema(ANYTHING if untyped else json_schema_of(key_type, choices.names(topic)))
            )
        inner = self._plain(choices, topic, codec, key_type, key=True)
        bounds = "the start of the window" if topic in self._settings.window_size_ms else "the end and the start of the session"
        text = f"The key with codec {codec}, then {bounds} in ms since the epoch, big-endian in 8 bytes each."
        return Content(_BINARY, {"type": "string", "format": "binary", "description": text}, registered=inner.registered)

    def _plain(self, choices: TypeChoices, topic: str, codec: str, declared: Any, *, key: bool) -> Content:
        if codec in _PRIMITIVES:
            PrimitiveCodecs(codec).for_key(topic, declared) if key else PrimitiveCodecs(codec).for_value(topic, declared)
            return _PRIMITIVES[codec]
        if codec in ("avro", "protobuf"):
            with_schema = self._avro if codec == "avro" else self._protobuf
            return with_schema(topic, declared, choices.names(topic))
        if codec not in BUILT_IN:
            return Content(_BINARY, {"type": "string", "format": "binary", "description": f"A value with codec {codec}."})
        registered = codec == "json-schema"
        if declared in UNTYPED:
            return _TEXT if key and not registered else Content("application/json", ANYTHING, registered=registered)
        JsonCodecs(quoted=registered, choices=choices).for_value(topic, declared)
        if not registered and declared in (str, bytes):
            return _PRIMITIVES["string" if declared is str else "bytes"]
        return Content("application/json", json_schema_of(declared, choices.names(topic)), registered=registered)

    def _avro(self, topic: str, declared: Any, names: Names) -> Content:
        with extra("avro"):
            from eddyline.adapters.avro.errors import AvroSchemaError
            from eddyline.adapters.avro.options import AvroOptions
            from eddyline.adapters.avro.schema import schema_for
        try:
            schema = schema_for(declared, AvroOptions.from_properties(self._settings.avro), names)
        except AvroSchemaError as error:
            raise AvroSchemaError(f"topic '{topic}': {error}") from error
        return Content("application/vnd.apache.avro", schema, _AVRO_SCHEMA, registered=True)

    @staticmethod
    def _protobuf(topic: str, declared: Any, names: Names) -> Content:
        with extra("protobuf"):
            from eddyline.adapters.protobuf.errors import ProtobufTypeError
            from eddyline.adapters.protobuf.format import ProtobufFormat
        if declared in UNTYPED:
            return Content(_PROTOBUF, {"description": "Any Protobuf message."}, registered=True)
        try:
            schema = ProtobufFormat(declared, names).schema_text
        except ProtobufTypeError as error:
            raise ProtobufTypeError(f"topic '{topic}': {error}") from error
        return Content(_PROTOBUF, schema, _PROTOBUF_SCHEMA, registered=True)
