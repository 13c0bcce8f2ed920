"""The dead letters of an application, and how parts of them are shown."""

from typing import TYPE_CHECKING, NamedTuple

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import CommandError, UsageError
from eddyline.adapters.cli.event_logs import missing_in
from eddyline.adapters.cli.printable import printable
from eddyline.adapters.cli.requests import Request
from eddyline.application.operations.dead_letter_log import DeadLetterLog, LetterPosition, parse_letter_position
from eddyline.application.operations.redrive import Redriver
from eddyline.application.runtime.plan.dead_letters import dead_letter_topic

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


class DeadLetters(NamedTuple):
    """The dead letters of an application, with the redriver that writes them back."""

    log: DeadLetterLog
    redriver: Redriver

    @classmethod
    def of(cls, request: Request) -> "DeadLetters":
        """Return the dead letters of an application; they are redriven exactly once, whatever guarantee its flow has."""
        settings = request.settings.model_copy(update={"processing_guarantee": "exactly_once_v2"})
        container = container_for(settings)
        log, application_id = container.log(), request.application_id
        _require_log(request, container)
        return cls(DeadLetterLog(log, application_id), Redriver(log, container.sink(), container.clock(), application_id))


def _require_log(request: Request, container: "Container") -> None:
    """Make sure that this can be the event log of the flow: one that has neither its topics nor its dead letters is not.

    Raises:
        CommandError: the event log has none of the topics.
    """
    existing = container.log().topics()
    topics = [spec.name for spec in (*request.topology.source_topics, *request.topology.sink_topics)]
    if not {dead_letter_topic(request.application_id), *topics} & set(existing):
        raise CommandError(
            f"flow '{request.flow.name}' has no topics in {missing_in(container, existing)}; "
            f"choose the event log with --log (it reads '{topics[0]}')"
        )


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
