"""Recordings of scenarios, which can run on any engine, alone or together with others."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from eddyline.application.flows.flow import Flow
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology
from eddyline.application.topology.records import Headers


class RecordStep(NamedTuple):
    """A record arrives; `timestamp` in ms since the epoch."""

    topic: str
    key: Any
    value: Any
    timestamp: int
    headers: Headers


class BytesStep(NamedTuple):
    """A record arrives whose value is these bytes, whether its topic can hold them or not."""

    topic: str
    key: bytes
    value: bytes


class ClockStep(NamedTuple):
    """The wall clock advances."""

    by_ms: int


class RestartStep(NamedTuple):
    """The flow stops when it has processed all records so far, and starts again."""


Step: TypeAlias = RecordStep | BytesStep | ClockStep | RestartStep


def moved(step: Step, beginning: str) -> Step:
    """Return a step whose topic, if it has one, begins with this."""
    return step._replace(topic=beginning + step.topic) if isinstance(step, RecordStep | BytesStep) else step


class Recording(NamedTuple):
    """A flow with its settings, and the steps of a scenario."""

    flow: Flow
    settings: Mapping[str, Any]
    steps: tuple[Step, ...]

    @property
    def query(self) -> str:
        """The flow and its settings; recordings in which they are equal can share a query."""
        return f"{self.flow!r} {json.dumps(self.settings, sort_keys=True)}"

    def topology(self) -> Topology:
        return self.flow.topology(**self.settings)

    def needs_log(self) -> bool:
        """Return whether records have to come from a log: only a log holds unreadable bytes and outlives a restart."""
        return any(isinstance(step, BytesStep | RestartStep) for step in self.steps)

    def runs(self) -> int:
        """Return how often the flow starts."""
        return 1 + sum(isinstance(step, RestartStep) for step in self.steps)


class TopicRecord(NamedTuple):
    """A record that the flow wrote; `timestamp` in ms since the epoch."""

    topic: str
    key: Any
    value: Any
    timestamp: int
    headers: Headers


class Results(NamedTuple):
    """The records that the flow wrote, in the order of each topic, its stores at the end, and its dead letters."""

    outputs: list[TopicRecord]
    stores: Mapping[str, list[StoreRow]]
    dead_letters: list[dict[str, str]]


Runner: TypeAlias = Callable[[Recording], Results]
"""Runs a recording to its end on one engine."""


class RecordedFlow:
    """An engine for `Scenario` that records what happens and runs it when the results are asked for."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._flow: Flow | None = None
        self._settings: dict[str, Any] = {}
        self._steps: list[Step] = []
        self._results: Results | None = None

    def use(self, flow: str | Flow, **settings: Any) -> None:
        """Choose the flow, by name or itself, and set it up."""
        self._flow = find_flow(flow) if isinstance(flow, str) else flow
        self.set(**settings)

    def set(self, **settings: Any) -> None:
        """Change settings of the flow."""
        self._settings.update(settings)

    @property
    def topology(self) -> Topology:
        return self._recording.topology()

    def pipe(self, topic: str, key: Any, value: Any, timestamp: int, headers: Headers = ()) -> None:
        self._record(RecordStep(topic, key, value, timestamp, headers))

    def pipe_bytes(self, topic: str, key: str, value: bytes) -> None:
        """Let a record arrive that has these bytes as its value, and the timestamp 0."""
        self._record(BytesStep(topic, key.encode(), value))

    def advance_wall_clock(self, by_ms: int) -> None:
        self._record(ClockStep(by_ms))

    def restart(self) -> None:
        """Stop the flow and start it again: on Spark from its checkpoint, in memory from the beginning of the log."""
        self._record(RestartStep())

    def outputs(self, topic: str) -> list[TopicRecord]:
        return [record for record in self.results.outputs if record.topic == topic]

    def store(self, name: str) -> list[StoreRow]:
        return self.results.stores[name]

    @property
    def results(self) -> Results:
        """The results of all steps so far."""
        if self._results is None:
            self._results = self._runner(self._recording)
        return self._results

    @property
    def _recording(self) -> Recording:
        assert self._flow is not None, "no step has chosen a flow"
        return Recording(self._flow, dict(self._settings), tuple(self._steps))

    def _record(self, step: Step) -> None:
        self._steps.append(step)
        self._results = None
