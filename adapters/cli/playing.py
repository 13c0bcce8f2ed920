"""Plays simulated events into topics, as fast as they can be made or at a given rate, with a bar that shows how far it is."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from time import monotonic, sleep
from typing import NamedTuple, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from eddyline.adapters.cli.screen import stderr
from eddyline.adapters.container import Container
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.topic_types import codec_type
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.domain.trading import DailyPrice

T = TypeVar("T")

_BATCH = 10_000
_BATCHES_A_SECOND = 10


class Played(NamedTuple):
    """What was played, and where it is."""

    trades: int
    companies: int
    days: int
    first_day: date
    last_day: date
    topic: str
    partitions: int


def play_trades(
    container: Container,
    simulation: Simulation,
    prices: Sequence[DailyPrice],
    *,
    topic: str = "trades",
    rate: float | None = None,
) -> Played:
    """Writes the trades of these days to the topic, which is made where it is missing; `rate` is in trades a second.

    Raises SimulationError for settings of the simulation that cannot be followed.
    """
    simulation.check()
    trades = (SimulatedEvent(topic, *simulated) for simulated in simulation.trades(prices))
    total = simulation.trades_per_day * len(prices)
    written = play_events(container, trades, [topic], flow="stock-stats", what="trades", total=total, rate=rate)
    days = sorted({price.date for price in prices})
    companies = {price.ticker for price in prices}
    return Played(written, len(companies), len(days), days[0], days[-1], topic, container.log().partitions(topic))


def play_events(
    container: Container,
    events: Iterator[SimulatedEvent],
    topics: Iterable[str],
    *,
    flow: str,
    what: str = "events",
    total: int | None = None,
    rate: float | None = None,
) -> int:
    """Writes events to their topics, which are made where they are missing, and gives their number; `rate` is in events a second.

    `flow` is the one that they are made for; `what` and `total` are shown while it goes on.
    """
    for topic in topics:
        container.sink().create_topic(topic, container.settings().num_partitions)
    size = _BATCH if rate is None else max(1, min(_BATCH, int(rate / _BATCHES_A_SECOND)))
    writer = f"simulate-{uuid.uuid4()}"
    encoders = _Encoders(container, flow)
    written, began = 0, monotonic()
    with _bar() as bar:
        task = bar.add_task(f"simulating {what}", total=total)
        for number, batch in enumerate(_batches(events, size)):
            container.sink().write(writer, 0, number, [encoders.record(event) for event in batch])
            written += len(batch)
            bar.update(task, completed=written)
            if rate is not None:
                sleep(max(0.0, began + written / rate - monotonic()))
    return written


class _Encoders:
    """The codecs of topics, each looked up once; `flow` reads the topics, so that it says what their values are."""

    def __init__(self, container: Container, flow: str) -> None:
        self._codecs = container.codecs()
        self._types = {spec.name: spec.value_type for spec in find_flow(flow).topology().source_topics}
        self._known: dict[str, tuple[Codec, Codec]] = {}

    def record(self, event: SimulatedEvent) -> SinkRecord:
        """The event as bytes; in a topic that the flow does not read, its value is of its own type."""
        topic, key, value, timestamp = event
        codecs = self._known.get(topic)
        if codecs is None:
            value_type = codec_type(self._types.get(topic, type(value)))
            codecs = self._known[topic] = (self._codecs.for_key(topic, str), self._codecs.for_value(topic, value_type))
        return SinkRecord(topic, codecs[0].encode(key), codecs[1].encode(value), timestamp)


def _batches(things: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(things, size)):
        yield batch


def _bar() -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=stderr())
