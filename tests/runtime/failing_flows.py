"""Flows whose functions fail on some records, and what their runs leave."""

from collections.abc import Callable
from typing import Any

from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.topology import (
    TopologyBuilder,
)
from eddyline.application.topology.processor import Processor, ProcessorContext, Record
from tests.runtime.hosts import Host

LETTERS = "app-dead-letters"
Define = Callable[[TopologyBuilder], object]


def fail_on_bad(value: Any) -> Any:
    if "bad" in str(value):
        raise LookupError(f"cannot use {value}")
    return value


def add(total: list[str], value: str) -> list[str]:
    return [*total, value]


def none() -> Any:
    return None


def set_of_bad(_: Any, value: str) -> Any:
    return {1, 2} if value == "bad" else value


def add_in_place(total: list[str], value: str) -> list[str]:
    total.append(value)
    return total


def counted(builder: TopologyBuilder) -> None:
    """Aggregate, then fail downstream of the store."""
    counts = builder.stream("in", key=str, value=str).group_by_key().aggregate(list, add, value=list[str], store="values")
    counts.to_stream().map_values(fail_on_bad, name="checked").to("out")


def state(host: Host) -> dict[str, list[Any]]:
    return {name: list(store.snapshot()) for name, store in host.host.task.stores.items()} | {
        "stream time": [host.host.task.stream_time]
    }


def run(define: Define, *values: str, timestamps: tuple[int, ...] = (), **options: Any) -> Host:
    host = Host(define, **options)
    for number, value in enumerate(values):
        host.append("in", value.encode(), timestamps[number] if timestamps else number, headers=(("trace", b"x"),))
    host.run(*host.all_of("in"))
    return host


def letters(host: Host) -> list[SinkRecord]:
    return [sent.record for sent in host.outlet.sent if sent.record.topic == LETTERS]


class Doubling(Processor[str, str, str, str]):
    """Counts records in a store and in a deferred punctuation, forwards each twice, and fails in between."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.store = context.state_store("seen")

    def process(self, record: Record[str, str]) -> None:
        self.store.put(record.key, (self.store.get(record.key) or 0) + 1)
        self.store.put_if_absent(record.value, 1)
        self.context.forward(record)
        fail_on_bad(record.value)
        self.context.forward(record.with_value(record.value.upper()))
        self.store.delete(record.value)
