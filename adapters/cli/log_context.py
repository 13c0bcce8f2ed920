"""What every line of the log says, and whether the messages of the command are lines of the log too."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

LogFormat: TypeAlias = Literal["console", "json"]


@dataclass
class _Log:
    """The log of this command: what every line has, the format that was chosen, and whether errors are lines of it."""

    fields: dict[str, Any] = field(default_factory=dict)
    format: LogFormat | None = None
    has_errors: bool = False
    level: str = "info"


_LOG: Final = _Log()
_OF_THREAD: Final[ContextVar[Mapping[str, Any]]] = ContextVar("fields of the log", default=MappingProxyType({}))
_AT_END: Final[list[Callable[[], None]]] = []


def begin_log(form: LogFormat | None, level: str = "info", **fields: Any) -> None:
    """Make all messages of this command lines of its log until the command ends.

    Args:
        form: How lines are formatted; None for people on a terminal and for programs elsewhere.
        level: The least level of its lines.
        fields: What every line has, such as the application id.
    """
    _LOG.fields, _LOG.format, _LOG.has_errors, _LOG.level = fields, form, False, level


def log_errors() -> None:
    """Make an error that ends this command a line of its log; before, it is one only if the user has chosen the format.

    An error that keeps a run from starting is one plain line, like an error in settings, which are read before there is a log.
    """
    _LOG.has_errors = True


def end_log() -> None:
    """Return to messages as plain lines; only warnings of clients are lines of the log."""
    begin_log(None)
    while _AT_END:
        _AT_END.pop()()


def at_end_of_log(action: Callable[[], None]) -> None:
    """Call a function when the command ends."""
    _AT_END.append(action)


def log_in_thread(**fields: Any) -> None:
    """Add fields to the lines that this thread writes, such as the flow that it runs."""
    _OF_THREAD.set(fields)


def log_fields() -> Mapping[str, Any]:
    """Return what every line of the log has that this thread writes."""
    return {**_LOG.fields, **_OF_THREAD.get()}


def log_format(*, terminal: bool) -> LogFormat:
    """Return how lines are formatted; `terminal` says whether they are written to one."""
    return _LOG.format or ("console" if terminal else "json")


def log_level() -> str:
    """Return the least level of the log's lines."""
    return _LOG.level


def is_logged() -> bool:
    """Return whether messages of the command are lines of the log."""
    return bool(_LOG.fields)


def errors_are_logged() -> bool:
    """Return whether an error that ends this command is a line of the log."""
    return bool(_LOG.fields) and (_LOG.format is not None or _LOG.has_errors)
