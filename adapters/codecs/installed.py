"""The codecs of installed packages, which name them in an entry-point group."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from eddyline.application.ports.codec import Codecs

GROUP: Final = "eddyline.codecs"
"""The entry-point group: each entry is a subclass of Codecs that is created without arguments."""

BUILT_IN: Final = ("json", "avro", "json-schema", "protobuf", "string", "int", "long", "double", "bytes", "uuid")
"""The codecs of Eddyline."""


class InstalledCodecError(ValueError):
    """A codec of an installed package cannot be used; the message has its name, the entry point and the reason."""


def codec_names() -> tuple[str, ...]:
    """Return the names of all codecs, those of Eddyline first."""
    return (*BUILT_IN, *(name for name in _entries() if name not in BUILT_IN))


def checked_codec(name: str) -> str:
    """Return the name of a codec. Raises ValueError if there is none of this name."""
    if name in BUILT_IN or name in codec_names():
        return name
    raise ValueError(f"'{name}' is not one of {', '.join(map(repr, codec_names()))}")


def installed_codecs(name: str) -> Codecs:
    """Return the codecs of an installed package.

    Raises:
        InstalledCodecError: the entry point cannot be imported, or names no subclass of Codecs.
    """
    entry = _entries()[name]
    origin = f"codec '{name}' of entry point '{entry.value}'"
    try:
        found = entry.load()
    except Exception as error:
        raise InstalledCodecError(f"{origin} cannot be loaded: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Codecs)):
        raise InstalledCodecError(f"{origin} is no subclass of Codecs; name the class that creates the codecs of topics")
    try:
        return found()
    except Exception as error:
        raise InstalledCodecError(f"{origin} cannot be created without arguments: {type(error).__name__}: {error}") from error


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
