"""Plays simulated trades into a topic, as fast as they can be made or at a given rate, with a bar that shows how far it is."""

import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice
from typing import NamedTuple, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from adapters.cli.screen import stderr
from adapters.container import Container
from application.ports.event_sink import SinkRecord
from domain.market import DailyPrice
from domain.simulation import SimulatedTrade, Simulation
from domain.trading import Trade

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
    container.sink().create_topic(topic, container.settings().num_partitions)
    size = _BATCH if rate is None else max(1, min(_BATCH, int(rate / _BATCHES_A_SECOND)))
    total = simulation.trades_per_day * len(prices)
    writer = f"simulate-{uuid.uuid4()}"
    written, began = 0, time.monotonic()
    with _bar() as bar:
        task = bar.add_task("simulating trades", total=total)
        for number, batch in enumerate(_batches(simulation.trades(prices), size)):
            container.sink().write(writer, 0, number, _records(container, topic, batch))
            written += len(batch)
            bar.update(task, completed=written)
            if rate is not None:
                time.sleep(max(0.0, began + written / rate - time.monotonic()))
    days = sorted({price.date for price in prices})
    companies = {price.ticker for price in prices}
    return Played(written, len(companies), len(days), days[0], days[-1], topic, container.log().partitions(topic))


def _records(container: Container, topic: str, trades: Sequence[SimulatedTrade]) -> list[SinkRecord]:
    encode_key = container.codecs().for_key(topic, str).encode
    encode_value = container.codecs().for_value(topic, Trade).encode
    return [
        SinkRecord(topic, encode_key(simulated.ticker), encode_value(simulated.trade), simulated.timestamp)
        for simulated in trades
    ]


def _batches(things: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(things, size)):
        yield batch


def _bar() -> Progress:
    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=stderr())
