"""The codecs of commands that read and write single records, chosen by name."""

from typing import TYPE_CHECKING, get_args

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.settings import CodecName
from eddyline.application.ports.codec import Codec

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_READABLE = get_args(CodecName)
_WRITABLE = tuple(name for name in _READABLE if name not in {"avro", "json-schema"})
WRITABLE_CODECS = "|".join(_WRITABLE)
READABLE_CODECS = "|".join(_READABLE)


def reading_codec(container: "Container", name: str, topic: str, *, key: bool) -> Codec:
    """Return the codec of this name for the keys or the values of a topic.

    Raises:
        UsageError: there is no codec of this name, or it needs a schema registry and none is given.
    """
    if name not in _READABLE:
        raise _unknown(name, _READABLE)
    if name == "avro" and not container.settings().schema_registry:
        raise UsageError("codec 'avro' needs a schema registry; give its URL with --schema-registry")
    return container.record_codecs().codec(name, topic, key=key)


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


def check_writable(codec: str) -> None:
    """Make sure that a codec can encode text.

    Raises:
        UsageError: there is no codec of this name, or it can only decode.
    """
    if codec == "avro":
        raise UsageError(
            "codec 'avro' cannot encode text, since a schema needs the types of a flow; choose json, or write it with a flow"
        )
    if codec not in _WRITABLE:
        raise _unknown(codec, _WRITABLE)


def encode_text(container: "Container", codec: str, text: str, topic: str) -> bytes | None:
    """Return text that a user has written as bytes of a codec.

    Raises:
        UsageError: the text is not a value of the codec.
    """
    try:
        return container.record_codecs().encode(codec, text, topic)
    except ValueError as error:
        raise UsageError(f"cannot encode '{text[:60]}' as {codec}: {error}") from None


def _unknown(name: str, known: tuple[str, ...]) -> UsageError:
    return UsageError(f"unknown codec '{name}'; choose one of: {', '.join(known)}")
