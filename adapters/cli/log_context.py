"""What every line of the log says, and whether the messages of the command are lines of the log too."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

LogFormat: TypeAlias = Literal["console", "json"]

_fields: Final[dict[str, Any]] = {}
_formats: Final[list[LogFormat]] = []
_started: Final[list[bool]] = []


def begin_log(form: LogFormat | None, **fields: Any) -> None:
    """Make all messages of this command lines of its log until the command ends.

    Args:
        form: How lines are formatted; None for people on a terminal and for programs elsewhere.
        fields: What every line has, such as the application id.
    """
    end_log()
    if form is not None:
        _formats.append(form)
    _fields.update(fields)


def log_errors() -> None:
    """Make an error that ends this command a line of its log; before, it is one only if the user has chosen the format.

    An error that keeps a run from starting is one plain line, like an error in settings, which are read before there is a log.
    """
    _started.append(True)


def end_log() -> None:
    """Return to messages as plain lines; only warnings of clients are lines of the log."""
    _fields.clear()
    _formats.clear()
    _started.clear()


def log_fields() -> Mapping[str, Any]:
    """Return what every line of the log has."""
    return _fields


def log_format(*, terminal: bool) -> LogFormat:
    """Return how lines are formatted; `terminal` says whether they are written to one."""
    return _formats[0] if _formats else "console" if terminal else "json"


def is_logged() -> bool:
    """Return whether messages of the command are lines of the log."""
    return bool(_fields)


def errors_are_logged() -> bool:
    """Return whether an error that ends this command is a line of the log."""
    return bool(_fields) and bool(_formats or _started)
