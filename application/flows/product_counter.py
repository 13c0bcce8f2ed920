"""Counts views of products in a processor written by hand, and tells all counts at every tick of a clock."""

from typing import Any, Literal

from eddyline.application.ports.state_store import KeyValueStore
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import key_value_store

_CLOCKS = {"stream": PunctuationType.STREAM_TIME, "wall": PunctuationType.WALL_CLOCK_TIME}


class CountProducts(Processor[str | None, Any, str, int]):
    """Keeps a count for each product; a null value forgets the product, a record without a key is left out."""

    def __init__(self, interval_ms: int, clock: PunctuationType) -> None:
        self._interval_ms = interval_ms
        self._clock = clock
        self._counts: KeyValueStore[str, int]

    def init(self, context: ProcessorContext[str, int]) -> None:
        """Takes the store and asks for the ticks."""
        super().init(context)
        self._counts = context.state_store("Counts")
        context.schedule(self._interval_ms, self._clock, self._tell_all)

    def process(self, record: Record[str | None, Any]) -> None:
        """Counts one view."""
        if record.key is None:
            return
        if record.value is None:
            self._counts.delete(record.key)
        else:
            self._counts.put(record.key, (self._counts.get(record.key) or 0) + 1)

    def _tell_all(self, timestamp: int) -> None:
        for product, count in self._counts.range():
            self.context.forward(Record(product, count, timestamp))


def product_counter(
    builder: TopologyBuilder, *, interval_ms: int = 1_000, punctuation: Literal["stream", "wall"] = "stream"
) -> None:
    """Views of products in, all counts in the order of the products every `interval_ms` out, by stream time or the wall clock."""
    clock = _CLOCKS[punctuation]
    builder.add_source("views", "product-views", key=str, value=object)
    builder.add_state_store(key_value_store("Counts", key=str, value=int))
    builder.add_processor(
        "count-products",
        lambda: CountProducts(interval_ms, clock),
        parents=["views"],
        stores=["Counts"],
        key=str,
        value=int,
    )
    builder.add_sink("counts", "product-counts", parents=["count-products"])
