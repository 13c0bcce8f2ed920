"""All sample flows in one process, with simulated input whose time is now."""

import threading
import uuid
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
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
from eddyline.application.ports.event_sink import SinkRecord
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
_MOST_AT_ONCE: Final = 1_000
"""How many events of a flow are written at once, so that history is not written all at once before everything else."""


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

    With `history`, what has happened before the block begins is written, too, as far as the simulators say that flows need it.
    If that fails, `stop` is called, and the error is raised at the end of the block.
    """
    clock, stopped = container.clock(), threading.Event()
    written = {spec.name for request in requests for spec in request.topology.sink_topics}
    events = _events(container, clock, written, history=history)
    flows = [request.flow.name for request in requests if request.flow.name in events]
    sources = [_Source(Encoders(container, flow), events[flow]) for flow in flows]
    for request in requests:
        for topic in request.topology.source_topics:
            container.sink().create_topic(topic.name, container.settings().num_partitions)
    failures: list[Exception] = []

    def write() -> None:
        try:
            _write(container, sources, clock, stopped)
        except Exception as error:  # noqa: BLE001 - raised at the end
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
        raise CommandError(f"the simulated input cannot be written: {one_line(failures[0])}") from failures[0]


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
        """Return the records that have arrived, encoded."""
        found: list[SimulatedEvent] = []
        while self._next is not None and self._arrival <= now_ms and len(found) < _MOST_AT_ONCE:
            found.append(self._next)
            self._next = next(self._events, None)
            if self._next is not None:
                self._arrival = max(self._arrival, self._next.timestamp)
        return self._encoders.records(found)


def _write(container: "Container", sources: Sequence[_Source], clock: Clock, stopped: threading.Event) -> None:
    writer, batch = f"simulate-{uuid.uuid4()}", 0
    while not stopped.wait(_TICK_S):
        now_ms = clock.now_ms()
        records = [record for source in sources for record in source.due(now_ms)]
        if records:
            container.sink().write(writer, 0, batch, records)
            batch += 1
