"""Parts of small flows, one for each operator."""

from collections.abc import Callable
from typing import Any

from eddyline.application.topology import (
    TopologyBuilder,
)
from eddyline.application.topology.processor import (
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    ValueTransformerWithKey,
)
from eddyline.application.topology.stores import key_value_store, versioned_key_value_store


def stream_of_a(builder: TopologyBuilder) -> Any:
    return builder.stream("a", key=str, value=int)


def grouped_a(builder: TopologyBuilder) -> Any:
    return stream_of_a(builder).group_by_key(name="grouped")


def tables(builder: TopologyBuilder) -> tuple[Any, Any]:
    return builder.table("a", key=str, value=int, store="rows-a"), builder.table("b", key=str, value=int, store="rows-b")


def pair(left: int | None, right: int | None) -> int:
    return (left or 0) * 100 + (right or 0)


def split(builder: TopologyBuilder) -> None:
    branches = stream_of_a(builder).split(name="by-sign")
    branches.branch(lambda _key, value: value < 0, name="negative")
    branches.default_branch(name="others")["others"].to("out")


class Summing(Processor[str, int, str, int]):
    """Adds up the values of each key."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self.sums = context.state_store("sums")

    def process(self, record: Record[str, int]) -> None:
        total = (self.sums.get(record.key) or 0) + record.value
        self.sums.put(record.key, total)
        self.context.forward(record.with_value(total))


class Emitting(Summing):
    """Forwards all sums at every 100 ms of stream time."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        context.schedule(100, PunctuationType.STREAM_TIME, self.emit)

    def process(self, record: Record[str, int]) -> None:
        self.sums.put(record.key, (self.sums.get(record.key) or 0) + record.value)

    def emit(self, now: int) -> None:
        for key, total in self.sums.range():
            self.context.forward(Record(key, total, now))


class Remembering(Processor[str, int, str, int]):
    """Remembers the first value outside of its stores, and forwards it with every record."""

    first: int | None = None

    def process(self, record: Record[str, int]) -> None:
        if self.first is None:
            self.first = record.value
        self.context.forward(record.with_value(self.first * 100 + record.value))


class Doubling(ValueTransformerWithKey[str, int, int]):
    """Doubles the values of rows."""

    def transform(self, key: str, value: int | None) -> int | None:
        del key
        return None if value is None else 2 * value


def processed(processor: type[Processor[str, int, str, int]]) -> Callable[[TopologyBuilder], object]:
    def define(builder: TopologyBuilder) -> None:
        builder.add_state_store(key_value_store("sums", key=str, value=int))
        stream_of_a(builder).process(processor, stores=["sums"], key=str, value=int, name="processor").to("out")

    return define


def cogrouped(builder: TopologyBuilder) -> None:
    other = builder.stream("b", key=str, value=int).group_by_key(name="other")
    both = grouped_a(builder).cogroup(lambda total, value: total + value)
    both.cogroup(other, lambda total, value: total - value).aggregate(int, store="sums").to_stream().to("out")


def grouped_table(builder: TopologyBuilder) -> None:
    rows, _ = tables(builder)
    by_parity = rows.group_by(lambda _key, value: (value % 2, value), key=int, value=int, name="by-parity")
    by_parity.aggregate(int, lambda total, value: total + value, lambda total, value: total - value, store="sums").to_stream().to(
        "out"
    )


def table_table_join(builder: TopologyBuilder) -> None:
    left, right = tables(builder)
    left.join(right, pair, value=int).to_stream().to("out")


def versioned_join(builder: TopologyBuilder) -> None:
    table = builder.table("b", key=str, value=int, store=versioned_key_value_store("versions", history_retention=1_000))
    stream_of_a(builder).join(table, pair, value=int).to("out")
