"""All sample flows in one process, with simulated input whose time is now."""

import threading
import uuid
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import CommandError, UsageError, one_line
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.requests import Request, requested_together
from eddyline.adapters.cli.screen import counted
from eddyline.adapters.cli.service_run import ServiceRun
from eddyline.adapters.cli.simulation import Encoders, trading_days
from eddyline.application.flows.flow import Flow
from eddyline.application.flows.service import Service
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.samples.catalogue import FLOWS, SIMULATORS
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.trading.simulator import LIVE_TRADES, Simulation, live_rows, live_trades
from eddyline.application.topology.errors import suggested

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_SETTINGS: Final = {"num.partitions": 1, "create.topics": True, "log.level": "warning", "commit.interval.ms": 500}
"""People do not see more than two commits a second, each of which waits for the disk."""
_TICK_S: Final = 0.25
"""How often what has become due is written."""
_TRADING_DAYS: Final = 5


def sample_flows(names: Sequence[str]) -> Sequence[Flow]:
    """Return the sample flows of these names, all without any.

    Raises UsageError if there is none of a name.
    """
    known = {flow.name: flow for flow in FLOWS}
    for name in names:
        if name not in known:
            raise UsageError(f"unknown sample flow '{name}'; {suggested(name, known)}")
    return [known[name] for name in dict.fromkeys(names)] or FLOWS


def run_live(folder: Path, flows: Sequence[Flow], *, browser: bool, **flags: Any) -> None:
    """Run sample flows on `local` until SIGINT or SIGTERM, with a page, and write their simulated input meanwhile.

    Args:
        folder: The directory of topics and state; what is there is continued.
        flows: The flows.
        browser: Whether to open the page in a browser.
        flags: Settings by field.

    Raises what `ServiceRun` raises, and CommandError if input cannot be written.
    """
    service = Service("demo", flows=flows, settings=_SETTINGS)
    requests = requested_together(service, engine="local", data_dir=folder, **flags)
    container = container_for(requests[0].settings)
    echo(f"starting {counted(len(requests), 'flow')} with simulated input, whose time is now", err=True)

    def serving(address: str) -> None:
        echo(f"open the page at {address}; Ctrl+C stops the flows", err=True)
        if browser:
            webbrowser.open(address)

    run = ServiceRun(service.name, requests, available_now=False, serve=True, on_serving=serving)
    with live_input(container, requests, run.stop, history=not any(container.log().topics())):
        run.run()


@contextmanager
def live_input(container: "Container", requests: Sequence[Request], stop: Callable[[], None], *, history: bool) -> Iterator[None]:
    """Write the simulated input of flows in the `with` block, each event when its time comes.

    With `history`, what has happened before is written before the block begins, as far as the simulators say that flows need
    it. So flows that start in the block take it by its timestamps. If writing fails in the block, `stop` is called, and the
    error is raised at the end of the block.

    Raises CommandError if writing fails.
    """
    clock, stopped = container.clock(), threading.Event()
    written = {spec.name for request in requests for spec in request.topology.sink_topics}
    events = _events(container, clock, written, history=history)
    flows = [request.flow.name for request in requests if request.flow.name in events]
    sources = [_Source(Encoders(container, flow), events[flow]) for flow in flows]
    for request in requests:
        for topic in request.topology.source_topics:
            container.sink().create_topic(topic.name, container.settings().num_partitions)
    writer, failures = _Writer(container.sink(), sources, clock), list[CommandError]()
    with _as_command_error():
        writer.write_history()

    def write() -> None:
        try:
            with _as_command_error():
                writer.write_live(stopped)
        except CommandError as error:
            failures.append(error)
            stop()

    thread = threading.Thread(target=write, name="simulators", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
    if failures:
        raise failures[0]


@contextmanager
def _as_command_error() -> Iterator[None]:
    """Raise whatever a simulator, a codec or a sink raises as a CommandError."""
    try:
        yield
    except Exception as error:
        msg = f"the simulated input cannot be written: {one_line(error)}"
        raise CommandError(msg) from error


def _events(
    container: "Container", clock: Clock, written: AbstractSet[str], *, history: bool
) -> dict[str, Iterator[SimulatedEvent]]:
    """Return the live events of flows that do not read what others write (`written`).

    Those of a demonstration that is continued differ from those before.
    """
    prices, now_ms = trading_days(container, days=_TRADING_DAYS), clock.now_ms
    seed = now_ms() // 1_000
    trades = live_trades(Simulation(**LIVE_TRADES, seed=seed), prices, now_ms)
    return {
        **{
            each.name: each.live_events(now_ms, seed=seed, history=history)
            for each in SIMULATORS
            if written.isdisjoint(each.topics)
        },
        "stock-stats": (SimulatedEvent("trades", *trade) for trade in trades),
        "top-movers": live_rows(prices, now_ms),
    }


class _Source:
    """The input of a flow. An event arrives at the greatest timestamp up to it."""

    def __init__(self, encoders: Encoders, events: Iterator[SimulatedEvent]) -> None:
        self._encoders, self._events = encoders, events
        self._next = next(events, None)
        self._arrival = 0 if self._next is None else self._next.timestamp

    def due(self, now_ms: int) -> list[SinkRecord]:
        """Return the records that have arrived, in the order of arrival."""
        found: list[SimulatedEvent] = []
        while self._next is not None and self._arrival <= now_ms:
            found.append(self._next)
            self._next = next(self._events, None)
            if self._next is not None:
                self._arrival = max(self._arrival, self._next.timestamp)
        return self._encoders.records(found)


class _Writer:
    """Writes what has become due of all sources."""

    def __init__(self, sink: EventSink, sources: Sequence[_Source], clock: Clock) -> None:
        self._sink, self._sources, self._clock = sink, sources, clock
        self._name, self._batch = f"simulate-{uuid.uuid4()}", 0

    def write_history(self) -> None:
        """Write what happened before now, topic by topic: nobody reads it yet."""
        now_ms = self._clock.now_ms()
        self._write([record for source in self._sources for record in source.due(now_ms)])

    def write_live(self, stopped: threading.Event) -> None:
        """Write events when they are due, until `stopped` is set.

        Topics of one source are written in the order of its events, as by producers that write each event at once.
        """
        while not stopped.wait(_TICK_S):
            now_ms = self._clock.now_ms()
            runs = [groupby(source.due(now_ms), key=attrgetter("topic")) for source in self._sources]
            while records := [record for run in runs for _, found in islice(run, 1) for record in found]:
                self._write(records)

    def _write(self, records: Sequence[SinkRecord]) -> None:
        if records:
            self._sink.write(self._name, 0, self._batch, records)
            self._batch += 1
