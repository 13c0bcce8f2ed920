"""A scenario's flow, its input and what came of it, on any engine."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from eddyline.adapters.cli.replay.case import Case, ClockStep, RecordStep
from eddyline.adapters.cli.replay.case import Step as CaseStep
from eddyline.application.flows.flow import Flow
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology

Table: TypeAlias = list[list[str]]
"""A table of a feature, as it stands: its first row names the columns."""

Document: TypeAlias = Mapping[str, Any]
"""Every record that left, in the order of each topic, and the stores at the end."""


class BytesStep(NamedTuple):
    """A record that comes as bytes, whatever the topic holds; `timestamp` in ms since the epoch."""

    topic: str
    key: bytes
    value: bytes
    timestamp: int


class RestartStep(NamedTuple):
    """The flow ends when it has taken what came before, and is started anew."""


Step: TypeAlias = CaseStep | BytesStep | RestartStep


class Story(NamedTuple):
    """A flow with its settings, and what happens, step by step."""

    flow: Flow
    settings: Mapping[str, Any]
    steps: tuple[Step, ...]

    @property
    def company(self) -> str:
        """What stories have in common that can be run together: the flow and its settings."""
        return f"{self.flow!r} {json.dumps(self.settings, sort_keys=True)}"

    def topology(self) -> Topology:
        """The flow's topology with the settings."""
        return self.flow.topology(**self.settings)

    def case(self) -> Case:
        """The story without what only the log and the run see, for the codecs and for plain replays."""
        plain = tuple(step for step in self.steps if isinstance(step, RecordStep | ClockStep))
        return Case("scenario", self.flow.name, self.settings, plain)

    def is_plain(self) -> bool:
        """Whether it can be replayed without a log: no bytes of their own, no restart."""
        return not any(isinstance(step, BytesStep | RestartStep) for step in self.steps)

    def runs(self) -> int:
        """How often the flow is started."""
        return 1 + sum(isinstance(step, RestartStep) for step in self.steps)


Replay: TypeAlias = Callable[[Story], Document]
"""Takes a story to its end on one engine."""


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

    def bytes_arrive(self, topic: str, key: str, value: bytes, timestamp: int) -> None:
        """A record comes in with these bytes as its value, whether the topic can hold them or not."""
        self._takes(BytesStep(topic, key.encode(), value, timestamp))

    def wall_clock_moves(self, by_ms: int) -> None:
        """The wall clock moves on."""
        self._takes(ClockStep(by_ms))

    def flow_restarts(self) -> None:
        """The flow ends and is started anew: on Spark from its checkpoint, in memory with the first record of the log."""
        self._takes(RestartStep())

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

    def dead_letters(self) -> list[dict[str, str]]:
        """What could not be decoded: each with its topic, its value as text, bytes that are none escaped, and the reason."""
        return [dict(letter) for letter in self._result.get("dead_letters", ())]

    @property
    def _result(self) -> Document:
        if self._document is None:
            assert self._flow is not None
            self._document = self._replay(Story(self._flow, dict(self._settings), tuple(self._steps)))
        return self._document


def rows(datatable: Table) -> list[dict[str, str]]:
    """A table of a feature as a dict a row; its first row names the columns."""
    names, *lines = datatable
    return [dict(zip(names, line, strict=True)) for line in lines]


def milliseconds(text: str) -> int:
    """A time such as `5 s`, `250 ms` or `1 min` in ms."""
    number, _, unit = text.strip().partition(" ")
    return round(float(number) * {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000}[unit])
