"""The flow of the simulation, its input, and its results without any fault, computed from the input alone."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from eddyline.application.runtime.plan.dead_letters import dead_letter_topic
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.topology import Topology, TopologyBuilder
from tests.simulation.broker import Broker

APPLICATION: Final = "app"
SOURCE, RESULTS, STORE = "orders", "totals-so-far", "totals"
LETTERS: Final = dead_letter_topic(APPLICATION)
PARTITIONS: Final = 3


@dataclass(frozen=True)
class Order:
    customer: str
    amount: int


@dataclass(frozen=True)
class Totals:
    """What a customer has ordered; `digest` depends on the order of the records."""

    orders: int = 0
    digest: int = 0

    def add(self, order: Order) -> "Totals":
        return Totals(self.orders + 1, (self.digest * 31 + order.amount) % 1_000_003)


def topology() -> Topology:
    """Return the flow: a stateless stage, a repartition, and a stateful stage with a changelog."""
    builder = TopologyBuilder()
    (
        builder.stream(SOURCE, key=str, value=Order)
        .group_by(lambda _key, order: order.customer, key=str, name="by-customer")
        .aggregate(Totals, Totals.add, store=STORE)
        .to_stream()
        .to(RESULTS)
    )
    return builder.build()


def input_records(draw: random.Random, count: int) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield partitions and records; some cannot be decoded. A customer's orders are in one partition, so they have one order."""
    for number in range(count):
        partition = draw.randrange(PARTITIONS)
        if draw.random() < 0.1:
            value = b"order %d" % number
        else:
            order = {"customer": f"{partition}-{draw.randrange(3)}", "amount": draw.randrange(1_000)}
            value = json.dumps(order).encode()
        yield partition, (b"k", value, 1_000 + number, None)


Update = tuple[int, int]
"""Number of orders and digest."""


@dataclass
class Expected:
    """What an undisturbed run makes of the records in the log.

    Attributes:
        updates: The results by customer.
        states: The entries of the store after each batch, by partition of the store.
        letters: The positions of the records that cannot be decoded.
    """

    updates: dict[str, list[Update]]
    states: dict[int, dict[int, dict[str, Update]]]
    letters: list[tuple[int, int]]


def expected(broker: Broker, ends: Mapping[int, Sequence[int]], *, latest: bool) -> Expected:
    """Compute the results of these batches, given the offsets of the source at which each of them ends."""
    found = Expected({}, {}, [])
    totals: dict[str, Totals] = {}
    start: Sequence[int] = [0] * PARTITIONS
    for batch, end in sorted(ends.items()):
        before: dict[str, int] = {}
        for partition in range(PARTITIONS):
            log = broker.log(SOURCE, partition)
            for offset in range(start[partition], end[partition]):
                if not log.is_visible(offset):
                    continue
                value = log.records[offset].fields[1]  # type: ignore[index]
                if value.startswith(b"order"):
                    found.letters.append((partition, offset))
                    continue
                order = Order(**json.loads(value))
                customer = order.customer
                updates = found.updates.setdefault(customer, [])
                before.setdefault(customer, len(updates))
                if latest:
                    del updates[before[customer] :]
                totals[customer] = totals.get(customer, Totals()).add(order)
                updates.append((totals[customer].orders, totals[customer].digest))
        start = end
        states: dict[int, dict[str, Update]] = {partition: {} for partition in range(PARTITIONS)}
        for customer, total in totals.items():
            states[partition_for(customer.encode(), PARTITIONS)][customer] = (total.orders, total.digest)
        found.states[batch] = states
    return found


def update_of(value: bytes | None) -> Update:
    """Return a result in the form in which it is expected."""
    found = Totals(**json.loads(value or b""))
    return found.orders, found.digest
