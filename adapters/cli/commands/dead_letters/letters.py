"""The dead letters of an application, and how parts of them are shown."""

from typing import NamedTuple

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.printable import printable
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.container import Container
from eddyline.application.operations.dead_letter_log import DeadLetterLog, LetterPosition, parse_letter_position
from eddyline.application.operations.redrive import Redriver


class DeadLetters(NamedTuple):
    """The dead letters of an application, with the redriver that writes them back."""

    log: DeadLetterLog
    redriver: Redriver

    @classmethod
    def of(cls, request: Request) -> "DeadLetters":
        """Return the dead letters of an application; they are redriven exactly once, whatever guarantee its flow has."""
        settings = request.settings.model_copy(update={"processing_guarantee": "exactly_once_v2"})
        container = Container(settings=settings)
        log, application_id = container.log(), request.application_id
        return cls(DeadLetterLog(log, application_id), Redriver(log, container.sink(), container.clock(), application_id))


def position_of(text: str) -> LetterPosition:
    """Return the position in `PARTITION:OFFSET`.

    Raises:
        UsageError: the text is not a position.
    """
    try:
        return parse_letter_position(text)
    except ValueError:
        raise UsageError(f"invalid position '{text}'; write it as PARTITION:OFFSET, for example 0:7") from None


def one_line(text: str, limit: int | None = None) -> str:
    """Return text on one line, with at most `limit` characters."""
    line = printable(" ".join(text.split()))
    return line if limit is None or len(line) <= limit else f"{line[: limit - 1]}…"


def number(value: int | None) -> str:
    """Return a number as text, and `-` for None."""
    return "-" if value is None else str(value)
