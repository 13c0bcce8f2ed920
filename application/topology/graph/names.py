"""Valid names."""

import string
from typing import Final

from eddyline.application.topology.errors import TopologyError

_LEGAL: Final = frozenset(string.ascii_letters + string.digits + "._-")
_MAX_LENGTH: Final = 249
_RESERVED: Final = ("", ".", "..")


def check_name(name: str, what: str) -> None:
    """Check that a name is valid in Kafka, where names become parts of topic names.

    Args:
        name: The name.
        what: What it is the name of, for the error message, such as "store".

    Raises:
        TopologyError: If the name is empty, too long, '.' or '..', or has other characters than letters, digits, '.', '_' and
            '-' (class Topic of Kafka, class Named of Kafka Streams).
    """
    given: object = name
    if not isinstance(given, str):
        msg = f"invalid {what} name {given!r}: it is no text; use 1 to {_MAX_LENGTH} ASCII letters, digits, '.', '_' and '-'"
        raise TopologyError(msg)
    illegal = sorted(set(name) - _LEGAL)
    if name in _RESERVED or illegal or len(name) > _MAX_LENGTH:
        reason = f"it contains {illegal[0]!r}" if illegal else f"it has {len(name)} characters"
        reason = "it is the name of a folder" if name in _RESERVED[1:] else reason
        msg = f"invalid {what} name '{name}': {reason}; use 1 to {_MAX_LENGTH} ASCII letters, digits, '.', '_' and '-'"
        raise TopologyError(msg)
