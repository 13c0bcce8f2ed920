"""Writes simulated events to topics, as fast as possible, at a rate or when their time comes, with a progress bar."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from datetime import date
from itertools import groupby, islice, repeat
from time import monotonic, sleep
from types import NoneType
from typing import TYPE_CHECKING, TypeVar

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.event_logs import require_lasting_log
from eddyline.adapters.cli.screen import counted, message, progress_bar
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.trading.simulator import Simulation, live_trades
from eddyline.domain.trading import DailyPrice, common_days

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

T = TypeVar("T")

LIVE_HELP = "Write each event when its time comes, which is now, until stopped."

_BATCH = 10_000
_BATCHES_PER_SECOND = 10
_MOST_WAIT_MS = 1_000
"""Waits are short, because a system clock can be adjusted."""


def trading_days(
    container: "Container", tickers: Sequence[str] | None = None, start: date | None = None, days: int | None = None
) -> list[DailyPrice]:
    """Return the real daily prices of companies, of the days on which all of them have one.

    Args:
        container: The source of the prices.
        tickers: The companies; all that there are by default.
        start: The first day to use.
        days: The number of days; all by default.

    Raises:
        UsageError: a ticker is unknown, or there are fewer days.
    """
    try:
        prices = container.daily_prices(tickers or container.tickers())
    except LookupError as unknown:
        raise UsageError(f"{unknown} (--ticker)") from None
    try:
        return common_days(prices, start=start, days=days)
    except LookupError as missing:
        raise UsageError(f"{missing} (--days)") from None


def check_live(**others: object) -> None:
    """Raise UsageError if an option was given that says in another way when events happen."""
    for name, value in others.items():
        if value is not None:
            msg = f"--live and --{name} exclude each other: with --live, events are written at their time, from now on"
            raise UsageError(msg)


def write_trades(
    container: "Container",
    simulation: Simulation,
    prices: Sequence[DailyPrice],
    *,
    topic: str = "trades",
    rate: float | None = None,
    clock: Clock | None = None,
) -> None:
    """Write simulated trades to a topic, which is created if it is missing, and print their number.

    Args:
        container: The event log.
        simulation: The simulation of trades.
        prices: The daily prices that the trades follow.
        topic: The topic to write to.
        rate: The number of trades per second; None is as fast as possible.
        clock: The clock by which to wait for the time of each trade, until the user interrupts; None is not to wait.

    Raises:
        SimulationError: the settings of the simulation contradict each other.
    """
    simulation.check()
    simulated = simulation.trades(prices) if clock is None else live_trades(simulation, prices, clock.now_ms)
    trades = (SimulatedEvent(topic, *trade) for trade in simulated)
    total = simulation.trades_per_day * len(prices) if clock is None else None
    written = write_events(container, trades, [topic], flow="stock-stats", what="trades", total=total, rate=rate, clock=clock)
    days = sorted({price.date for price in prices})
    companies = len({price.ticker for price in prices})
    partitions = container.log().partitions(topic)
    played = f"{counted(companies, 'company', 'companies')} on {counted(len(days), 'day')} ({days[0]} to {days[-1]})"
    where = f"topic '{topic}' ({counted(partitions, 'partition')})"
    message(f"{counted(written, 'trade')} of {played} written to {where}")


def write_events(
    container: "Container",
    events: Iterator[SimulatedEvent],
    topics: Iterable[str],
    *,
    flow: str,
    what: str = "events",
    total: int | None = None,
    rate: float | None = None,
    clock: Clock | None = None,
) -> int:
    """Write events to their topics, which are created if they are missing, and return the number of events.

    Args:
        container: The event log and the codecs.
        events: The events.
        topics: The topics of the events.
        flow: The flow that reads the events; it determines the types of their values.
        what: What the progress bar calls the events.
        total: The number of events, if it is known.
        rate: The number of events per second; None is as fast as possible.
        clock: The clock by which to wait for the time of each event, until the user interrupts; None is not to wait.

    Raises:
        UsageError: the event log is in memory.
    """
    require_lasting_log(container)
    for topic in topics:
        container.sink().create_topic(topic, container.settings().num_partitions)
    size = _BATCH if rate is None else max(1, min(_BATCH, int(rate / _BATCHES_PER_SECOND)))
    writer = f"simulate-{uuid.uuid4()}"
    encoders = Encoders(container, flow)
    written, started = 0, monotonic()
    batches = _batches(events, size) if clock is None else _due_batches(events, clock)
    with progress_bar() as bar, suppress(*([] if clock is None else [KeyboardInterrupt])):
        task = bar.add_task(f"simulating {what}", total=total)
        for number, batch in enumerate(batches):
            container.sink().write(writer, 0, number, encoders.records(batch))
            written += len(batch)
            bar.update(task, completed=written)
            if rate is not None:
                sleep(max(0.0, started + written / rate - monotonic()))
    return written


class Encoders:
    """The codecs of topics, each looked up once; values have the type with which the flow reads the topic, or their own."""

    def __init__(self, container: "Container", flow: str) -> None:
        topology = find_flow(flow).topology()
        self._codecs = container.codecs().configured(topology.type_choices)
        self._types = {spec.name: spec.value_type for spec in topology.source_topics}
        self._known: dict[tuple[str, type], tuple[Codec, Codec]] = {}

    def records(self, events: Sequence[SimulatedEvent]) -> list[SinkRecord]:
        """Return the encoded events; a value that the flow cannot read, or in a topic that it does not, has its own type."""
        records: list[SinkRecord] = []
        for (topic, kind), run in groupby(events, key=lambda event: (event.topic, type(event.value))):
            _, keys, values, timestamps = zip(*run, strict=True)
            of_key, of_value = self._of(topic, kind)
            records += map(SinkRecord, repeat(topic), of_key.encode_all(keys), of_value.encode_all(values), timestamps)
        return records

    def _of(self, topic: str, kind: type) -> tuple[Codec, Codec]:
        codecs = self._known.get((topic, kind))
        if codecs is None:
            declared = self._types.get(topic, kind)
            is_own = is_dataclass(declared) and kind not in (declared, NoneType)
            value_type = codec_type(kind if is_own else declared)
            codecs = self._known[topic, kind] = (self._codecs.for_key(topic, str), self._codecs.for_value(topic, value_type))
        return codecs


def _batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(items, size)):
        yield batch


def _due_batches(events: Iterator[SimulatedEvent], clock: Clock) -> Iterator[list[SimulatedEvent]]:
    """Return events in batches, each when its events have arrived: at the greatest timestamp up to them, by the clock."""
    batch: list[SimulatedEvent] = []
    arrival = 0
    for event in events:
        arrival = max(arrival, event.timestamp)
        while (wait_ms := arrival - clock.now_ms()) > 0:
            if batch:
                yield batch
                batch = []
            else:
                sleep(min(wait_ms, _MOST_WAIT_MS) / 1_000)
        batch.append(event)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
