"""A flow over payments, with its input and its results."""

from typing import Any

import pandas as pd

from eddyline import Record, TopologyBuilder, Window, Windowed, tumbling
from tests.fixtures.payments import Payment, Takings


def shop_takings(builder: TopologyBuilder, *, size_ms: int = 1_000) -> None:
    (
        builder.stream("payments", key=str, value=Payment)
        .group_by(lambda _till, payment: payment.shop, key=str, name="by-shop")
        .windowed_by(tumbling(size_ms, grace=10_000))
        .aggregate(Takings, Takings.add, store="takings")
        .to_stream()
        .to("takings")
    )


PAYMENTS = pd.DataFrame({"key": ["a", "b", "a"], "shop": ["north", "south", "north"], "amount": [1.0, 2.0, 4.0]})


def at(frame: pd.DataFrame, *times: Any) -> pd.DataFrame:
    return frame.assign(timestamp=list(times))


def of(shop: str, start: int, payments: int, total: float, timestamp: int) -> Record[Any, Any]:
    return Record(Windowed(shop, Window(start, start + 1_000)), Takings(payments, total), timestamp)


EXPECTED = [of("north", 0, 1, 1.0, 5), of("south", 0, 1, 2.0, 900), of("north", 1_000, 1, 4.0, 1_500)]
