"""Flows with stores of all kinds and with timers, whose state tests move between engines."""

from typing import Any

from eddyline import Flow, TopologyBuilder
from eddyline.application.topology import Stream, session, tumbling, until_window_closes
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import key_value_store, versioned_key_value_store


class Overdue(Processor[str, int, str, int]):
    """Keeps the number of records of each key, and forwards it at the next multiple of a second of stream time."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self._waiting = context.state_store("waiting")
        context.schedule(1_000, PunctuationType.STREAM_TIME, self._forward)

    def process(self, record: Record[str, int]) -> None:
        self._waiting.put(record.key, (self._waiting.get(record.key) or 0) + 1)

    def _forward(self, now: int) -> None:
        for key, number in list(self._waiting.range()):
            self._waiting.delete(key)
            self.context.forward(Record(f"overdue:{key}", number, now))


def by_remainder(_key: str, value: int) -> str:
    return f"rest-{value % 3}"


def named(kind: str) -> Any:
    """Return a function that names the key of a window by the kind of the result."""
    return lambda windowed, number: (f"{kind}:{windowed.key}@{windowed.window.start}", number)


def added(left: int, right: int) -> int:
    return left + 1_000 * right


def windows(builder: TopologyBuilder, *, topic: str = "windows") -> None:
    """Count in windows of a repartitioned stream, in sessions and in windows that close, and join a table with versions."""
    rows = builder.stream(topic, key=str, value=int)
    regrouped = rows.group_by(by_remainder, key=str, name="by-remainder")
    counts = regrouped.windowed_by(tumbling(1_000, grace=60_000)).count(store="windows")
    counts.to_stream().map(named("window"), key=str, value=int).to(f"{topic}-out")
    sessions = rows.group_by_key(name="in-sessions").windowed_by(session(300, grace=60_000)).count(store="sessions")
    sessions.to_stream().filter(is_kept).map(named("session"), key=str, value=int).to(f"{topic}-out")
    versions = rows.to_table(store=versioned_key_value_store("versions", history_retention=60_000))
    rows.join(versions, added, value=int, name="with-version").to(f"{topic}-out")
    count_closed(rows, topic)


def is_kept(_key: Any, number: int | None) -> bool:
    return number is not None


def count_closed(rows: Stream[str, int], topic: str) -> None:
    """Count in windows and emit each count when its window closes."""
    counts = rows.group_by_key(name="grouped").windowed_by(tumbling(1_500, grace=200)).count(store="closing")
    closed = counts.suppress(until_window_closes())
    closed.to_stream().map(named("closed"), key=str, value=int).to(f"{topic}-out")


def timers(builder: TopologyBuilder, *, topic: str = "timers") -> None:
    """Emit the count of each window when it closes, and numbers of records at multiples of a second."""
    rows = builder.stream(topic, key=str, value=int)
    count_closed(rows, topic)
    builder.add_state_store(key_value_store("waiting", key=str, value=int))
    rows.process(Overdue, stores=["waiting"], key=str, value=int, name="overdue").to(f"{topic}-out")


FLOWS = (
    Flow("windows", "Counts in windows and sessions, and joins a table with versions.", windows, emit="every-update"),
    Flow("timers", "Emits when windows close and when seconds are over.", timers, emit="every-update"),
)
