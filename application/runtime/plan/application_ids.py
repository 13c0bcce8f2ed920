"""Valid application ids."""

import re
from typing import Final

MAX_LENGTH: Final = 160
"""The longest id for which all groups, writers and files that are named after it have valid names."""

_LEGAL: Final = re.compile(rf"[a-zA-Z0-9_-][a-zA-Z0-9._-]{{0,{MAX_LENGTH - 1}}}")
_RESERVED: Final = ("alerts", "local", "queries", "state", "topics")
_RESERVED_SUFFIX: Final = "-batches"


class ApplicationIdError(ValueError):
    """An application id is invalid; the message has the id, the reason and the fix."""


def check_application_id(application_id: str) -> str:
    """Return a valid application id.

    An id is valid as a part of topic names (Kafka's class Topic) and as the name of a folder. In addition, it must not be the
    name of another folder or file in the directories for data and state, in any case, as some file systems ignore the case.

    Raises:
        ApplicationIdError: the id is invalid.
    """
    reason = why_invalid(application_id)
    if reason:
        raise ApplicationIdError(f"invalid application id '{application_id}': {reason}; set another application.id")
    return application_id


def why_invalid(application_id: str) -> str | None:
    """Return why an application id is invalid, None if it is valid."""
    lower = application_id.lower()
    if lower in _RESERVED:
        return f"the names {', '.join(map(repr, _RESERVED))} are reserved for folders of Eddyline"
    if lower.endswith(_RESERVED_SUFFIX):
        return f"names that end with '{_RESERVED_SUFFIX}' are reserved for topics of Eddyline"
    if not _LEGAL.fullmatch(application_id):
        return f"use 1 to {MAX_LENGTH} letters, digits, dots, hyphens and underscores, with no dot at the beginning"
    return None
