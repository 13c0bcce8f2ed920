"""Discards duplicate events by id: with a window store, or with a key-value store that a punctuation cleans up."""

from typing import Any, Literal

from eddyline.application.ports.state_store import KeyValueStore, WindowStore
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import FixedKeyProcessor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import key_value_store, window_store

Event = dict[str, Any]


def _id_of(event: Event | None) -> str | None:
    event_id = event.get("id") if isinstance(event, dict) else None
    return event_id if isinstance(event_id, str) else None


class DedupeByWindow(FixedKeyProcessor[str | None, Event | None, Event | None]):
    """Discards an event if its id was seen from `before_ms` before to `after_ms` after its timestamp."""

    def __init__(self, before_ms: int, after_ms: int, *, refresh: bool) -> None:
        self._before_ms = before_ms
        self._after_ms = after_ms
        self._refresh = refresh
        self._seen: WindowStore[str, int]

    def init(self, context: ProcessorContext[str | None, Event | None]) -> None:
        super().init(context)
        self._seen = context.state_store("seen-ids")

    def process(self, record: Record[str | None, Event | None]) -> None:
        event_id = _id_of(record.value)
        if event_id is None:
            self.context.forward(record)
            return
        time = record.timestamp
        duplicate = bool(self._seen.fetch_range(event_id, time - self._before_ms, time + self._after_ms))
        if not duplicate or self._refresh:
            self._seen.put(event_id, time, time)
        if not duplicate:
            self.context.forward(record)


class DedupeByTtl(FixedKeyProcessor[str | None, Event | None, Event | None]):
    """Discards an event if its id is still stored; a stream-time punctuation deletes ids that are `ttl_ms` old or older."""

    def __init__(self, ttl_ms: int, interval_ms: int, *, refresh: bool) -> None:
        self._ttl_ms = ttl_ms
        self._interval_ms = interval_ms
        self._refresh = refresh
        self._seen: KeyValueStore[str, int]

    def init(self, context: ProcessorContext[str | None, Event | None]) -> None:
        super().init(context)
        self._seen = context.state_store("seen-ids")
        context.schedule(self._interval_ms, PunctuationType.STREAM_TIME, self._delete_expired)

    def process(self, record: Record[str | None, Event | None]) -> None:
        event_id = _id_of(record.value)
        if event_id is None:
            self.context.forward(record)
            return
        seen = self._seen.get(event_id)
        if seen is None or self._refresh:
            self._seen.put(event_id, record.timestamp)
        if seen is None:
            self.context.forward(record)

    def _delete_expired(self, now: int) -> None:
        for event_id, time in self._seen.range():
            if now - time >= self._ttl_ms:
                self._seen.delete(event_id)


def dedupe(
    builder: TopologyBuilder,
    *,
    kind: Literal["window-store", "ttl-punctuator"] = "window-store",
    before_ms: int = 10_000,
    after_ms: int | None = None,
    retention_ms: int | None = None,
    ttl_ms: int = 10_000,
    interval_ms: int = 1_000,
    refresh: bool = False,
) -> None:
    """Forward the first event of each id from topic `events` to topic `events-deduped`."""
    events = builder.stream("events", key=str, value=dict)
    supplier: Any
    if kind == "window-store":
        after = before_ms if after_ms is None else after_ms
        span = before_ms + after
        builder.add_state_store(window_store("seen-ids", key=str, value=int, retention=retention_ms or span, window_size=span))
        supplier = lambda: DedupeByWindow(before_ms, after, refresh=refresh)  # noqa: E731 - one of two suppliers
    else:
        builder.add_state_store(key_value_store("seen-ids", key=str, value=int))
        supplier = lambda: DedupeByTtl(ttl_ms, interval_ms, refresh=refresh)  # noqa: E731 - one of two suppliers
    events.process_values(supplier, stores=["seen-ids"], value=dict).to("events-deduped")
