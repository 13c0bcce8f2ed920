"""Codecs of the commands that show and take records, by name."""

from typing import Any

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.primitive.codec import CODECS
from eddyline.adapters.primitive.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.adapters.wiring.extras import extra
from eddyline.application.ports.codec import Codec

NAMES = (*CODECS, "json", "avro")


def record_codec(name: str, topic: str, *, key: bool, registry_url: str | None = None) -> Codec:
    """The codec with this name for the keys or the values of a topic; avro reads only. Raises UsageError."""
    if name in CODECS:
        return CODECS[name][1]
    if name == "json":
        return JsonCodecs().for_value(topic, Any)
    if name == "avro":
        return _avro(topic, key=key, registry_url=registry_url)
    raise UsageError(f"codec '{name}' is unknown; there are: {', '.join(NAMES)}")


def windowed(windows: str | None, key: Codec) -> Codec:
    """The codec for keys in windows of so many milliseconds, or in sessions; the codec itself for None. Raises UsageError."""
    if windows is None:
        return key
    if windows == "session":
        return SessionWindowedCodec(key)
    if windows.isdigit() and int(windows) > 0:
        return TimeWindowedCodec(key, int(windows))
    raise UsageError(f"--key-windows '{windows}' is neither a length in ms nor session")


def text_to_bytes(codec: str, text: str, topic: str, *, key: bool) -> bytes | None:
    """What a person wrote, as bytes of the codec. Raises UsageError for avro, ValueError for text that does not fit."""
    if codec == "avro":
        raise UsageError("avro can be read here, not written: it needs the type of a flow; write with a flow, or as json")
    if codec in CODECS:
        kind, made = CODECS[codec]
        return made.encode(text.encode() if kind is bytes else kind(text))
    made = record_codec(codec, topic, key=key)
    return made.encode(made.decode(text.encode()))


def _avro(topic: str, *, key: bool, registry_url: str | None) -> Codec:
    if registry_url is None:
        raise UsageError("avro needs the schema registry: name it with --schema-registry http://HOST:PORT/…")
    with extra("avro"):
        from eddyline.adapters.avro.format import AvroFormat  # noqa: PLC0415 - needs an extra
        from eddyline.adapters.avro.options import AvroOptions  # noqa: PLC0415 - likewise
        from eddyline.adapters.registry.client import Registry  # noqa: PLC0415 - likewise
        from eddyline.adapters.registry.codecs import RegistryCodecs  # noqa: PLC0415 - likewise
        from eddyline.adapters.registry.settings import RegistrySettings  # noqa: PLC0415 - likewise
    registry = Registry(RegistrySettings.from_properties({"url": registry_url}))
    codecs = RegistryCodecs(registry, lambda _topic, _part, hint: AvroFormat(hint, AvroOptions()))
    return codecs.for_key(topic, Any) if key else codecs.for_value(topic, Any)
