"""A scenario's flow, its input and what came of it, on any engine."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from adapters.cli.replay.case import Case, ClockStep, RecordStep, Step
from adapters.json.codecs import JsonCodecs
from application.flows.flow import Flow
from application.flows.registry import find_flow
from application.topology import Topology

Table: TypeAlias = list[list[str]]
"""A table of a feature, as it stands: its first row names the columns."""

Document: TypeAlias = Mapping[str, Any]
Replay: TypeAlias = Callable[[Case, Topology, JsonCodecs], Document]
"""Takes a case to its end on one engine: every record that left, and the stores."""


class Scenario:
    """Collects what comes in and runs it when somebody asks what came out."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._flow: Flow | None = None
        self._settings: dict[str, Any] = {}
        self._steps: list[Step] = []
        self._document: Document | None = None

    def use(self, flow: str | Flow, **settings: Any) -> None:
        """Chooses the flow, by name or itself, and its settings."""
        self._flow = find_flow(flow) if isinstance(flow, str) else flow
        self._settings.update(settings)

    def arrives(self, topic: str, key: str | None, value: Any, timestamp: int) -> None:
        """A record comes in; `timestamp` in ms since the epoch."""
        self._takes(RecordStep(topic, key, value, timestamp, {}))

    def wall_clock_moves(self, by_ms: int) -> None:
        """The wall clock moves on."""
        self._takes(ClockStep(by_ms))

    def _takes(self, step: Step) -> None:
        self._steps.append(step)
        self._document = None

    def left(self, topic: str) -> list[dict[str, Any]]:
        """The records that left through a topic, in order."""
        return [record for record in self._result["output"] if record["topic"] == topic]

    def store(self, name: str) -> list[dict[str, Any]]:
        """The rows of a store at the end."""
        rows: list[dict[str, Any]] = self._result["stores"][name]
        return rows

    @property
    def _result(self) -> Document:
        if self._document is None:
            assert self._flow is not None
            case = Case("scenario", self._flow.name, self._settings, tuple(self._steps))
            self._document = self._replay(case, self._flow.topology(**self._settings), JsonCodecs())
        return self._document


def rows(datatable: Table) -> list[dict[str, str]]:
    """A table of a feature as a dict a row; its first row names the columns."""
    names, *lines = datatable
    return [dict(zip(names, line, strict=True)) for line in lines]


def milliseconds(text: str) -> int:
    """A time such as `5 s`, `250 ms` or `1 min` in ms."""
    number, _, unit = text.strip().partition(" ")
    return round(float(number) * {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000}[unit])
