"""The codecs of commands that read and write single records, chosen by name or by the settings."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.settings import CODEC_NAMES as BUILT_IN
from eddyline.adapters.settings import Settings, codec_names, read_text_file
from eddyline.application.ports.codec import Codec

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

EncodeText: TypeAlias = Callable[[str], bytes | None]
"""Encodes text that a user has written."""

CODEC_NAMES = "|".join(BUILT_IN)
CONFIGURED_CODEC = "the codec of the topic in the settings, and text if that is json"
_WITH_SCHEMAS = ("avro", "json-schema", "protobuf")


def reading_codec(container: "Container", name: str | None, topic: str, *, key: bool) -> Codec:
    """Return the codec for the keys or the values of a topic; None is the one of the settings.

    Raises:
        UsageError: there is no codec of this name, or it needs a schema registry and none is given.
    """
    return container.record_codecs().codec(_checked(container, name, topic, key=key), topic, key=key)


def windowed(container: "Container", key: Codec, windows: str | None) -> Codec:
    """Return the codec of keys in windows: `windows` is their size in ms, or `session`, or None for keys without a window.

    Raises:
        UsageError: `windows` is something else.
    """
    if windows is None:
        return key
    if windows == "session":
        return container.record_codecs().windowed(key, None)
    if windows.isdigit() and int(windows) > 0:
        return container.record_codecs().windowed(key, int(windows))
    raise UsageError(f"invalid --key-windows '{windows}'; give the size of the windows in ms, or session")


def text_encoder(container: "Container", name: str | None, topic: str, schema: Path | None, *, key: bool) -> EncodeText:
    """Return what encodes text as keys or values of a topic.

    Args:
        container: The codecs.
        name: The codec; None is the one of the settings, or of the schema.
        topic: The topic.
        schema: The file with the schema for the codecs avro, json-schema and protobuf; None is the latest one in the registry.
        key: Whether to encode keys.

    Raises:
        UsageError: there is no codec of this name, or its schema is missing.
    """
    codec = _checked(container, "avro" if schema and not name else name, topic, key=key)
    codecs = container.record_codecs()
    try:
        text = None if schema is None else read_text_file(schema)
        encode = codecs.text_encoder(codec, topic, text, key=key)
    except ValueError as error:
        raise UsageError(str(error)) from None

    def encode_text(text: str) -> bytes | None:
        try:
            return encode(text)
        except ValueError as error:
            raise UsageError(f"cannot encode '{text[:60]}' as {codec}: {error}") from None

    return encode_text


def _checked(container: "Container", name: str | None, topic: str, *, key: bool) -> str:
    """Return the name of a codec that can be used."""
    codec = _configured(container.settings(), topic, key=key) if name is None else name
    if codec not in codec_names():
        raise UsageError(
            f"invalid {'--key-codec' if key else '--value-codec'} '{codec}'; choose one of: {', '.join(codec_names())}"
        )
    if codec in _WITH_SCHEMAS and not container.settings().schema_registry:
        raise UsageError(f"codec '{codec}' needs a schema registry; give its URL with --schema-registry")
    return codec


def _configured(settings: Settings, topic: str, *, key: bool) -> str:
    by_topic = settings.key_codecs if key else settings.value_codecs
    codec: str = by_topic.get(topic, settings.default_key_codec if key else settings.default_value_codec)
    return "string" if codec == "json" else codec
