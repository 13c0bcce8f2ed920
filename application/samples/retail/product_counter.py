"""The flow product-counter: the number of views per product, counted by a processor."""

from typing import Any, Literal

from eddyline import (
    KeyValueStore,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    TopologyBuilder,
    key_value_store,
)
from eddyline.domain.retail import ProductViews

_CLOCKS = {"stream": PunctuationType.STREAM_TIME, "wall": PunctuationType.WALL_CLOCK_TIME}


class CountProducts(Processor[str | None, Any, str, int]):
    """Counts the views of each product and forwards all counts at intervals.

    A null value deletes the count of its product; a record without a key is dropped.
    """

    def __init__(self, interval_ms: int, clock: PunctuationType) -> None:
        self._interval_ms = interval_ms
        self._clock = clock
        self._counts: KeyValueStore[str, ProductViews]

    def init(self, context: ProcessorContext[str, int]) -> None:
        """Open the store and schedule the punctuation."""
        super().init(context)
        self._counts = context.state_store("Counts")
        context.schedule(self._interval_ms, self._clock, self._forward_all)

    def process(self, record: Record[str | None, Any]) -> None:
        """Count a view of a product, or delete the count of a product that was withdrawn."""
        product = record.key
        if product is None:
            self.context.drop(record, "null-key")
            return
        if record.value is None:
            self._counts.delete(product)
        else:
            self._counts.put(product, (self._counts.get(product) or ProductViews()).view())

    def _forward_all(self, timestamp: int) -> None:
        for product, views in self._counts.range():
            self.context.forward(Record(product, views.count, timestamp))


def product_counter(
    builder: TopologyBuilder, *, interval_ms: int = 1_000, punctuation: Literal["stream", "wall"] = "stream"
) -> None:
    """Count the views of each product and emit all counts every `interval_ms`.

    Input: `product-views`, keyed by product; a null value withdraws the product. Output: `product-counts`, ordered by product,
    at intervals of stream time or, with `punctuation` wall, of wall-clock time.
    """
    clock = _CLOCKS[punctuation]
    builder.add_source("views", "product-views", key=str, value=object)
    builder.add_state_store(key_value_store("Counts", key=str, value=ProductViews))
    builder.add_processor(
        "count-products",
        lambda: CountProducts(interval_ms, clock),
        parents=["views"],
        stores=["Counts"],
        key=str,
        value=int,
    )
    builder.add_sink("counts", "product-counts", parents=["count-products"])
