"""Turns what a replay has found into answers: decoded records, rows of stores and paths through the topology."""

from collections.abc import Mapping, Sequence
from typing import Any

from eddyline.application.lineage.explanation import InputRecord, ResultRecord, StateChange, StoreEntry
from eddyline.application.lineage.origins import Change, Found, Origin
from eddyline.application.lineage.paths import path_between
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import LogRecord, Position
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.input.decoding import TopicDecoders, UnreadableRecordError
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.runtime.progress.store_rows import StoreRow, row_of
from eddyline.application.topology.stores import StoreKind


class Display:
    """Decodes the records of a flow; `ends` are the nodes at which the paths of its inputs end."""

    def __init__(self, plan: RunPlan, ends: Sequence[str]) -> None:
        self._plan, self._ends = plan, ends
        self._decoders = TopicDecoders(plan)
        self._paths: dict[str, tuple[str, ...]] = {}

    def result(self, record: LogRecord) -> ResultRecord:
        """Return a result; its key and value are bytes if they cannot be decoded."""
        topic, position = record.topic, Position(*record[:3])
        spec = next((spec for spec in self._plan.topology.sink_topics if spec.name == topic), None)
        key_type, value_type = (Any, Any) if spec is None else (codec_type(spec.key_type), codec_type(spec.value_type))
        codecs = self._plan.ports.codecs
        try:
            key = codecs.for_key(topic, key_type).decode(record.key, record.headers)
            value = codecs.for_value(topic, value_type).decode(record.value, record.headers)
        except CodecError:
            key, value = record.key, record.value
        return ResultRecord(topic, position, record.timestamp, key, value, record.headers)

    def entry(self, store: str, row: StoreRow) -> StoreEntry:
        """Return an entry of a store."""
        return StoreEntry(store, row.key, row.window, row.value)

    def inputs(
        self, origins: Sequence[Origin], records: Mapping[Position, LogRecord], found: Found, neutral: Mapping[int, bool]
    ) -> tuple[InputRecord, ...]:
        """Return input records with the changes of stores that they have caused."""
        changes: dict[Position, list[Change]] = {}
        last = origins[-1].position if origins else None
        for change in sorted(found.changes, key=lambda change: change.number):
            position = last if change.cause is None else change.cause.position
            if position is not None:
                changes.setdefault(position, []).append(change)
        return tuple(
            self.input(
                records[origin.position],
                is_trigger=origin.position in found.triggers,
                neutral=neutral.get(origin.number),
                changes=changes.get(origin.position, ()),
            )
            for origin in origins
            if origin.position in records
        )

    def input(
        self, record: LogRecord, *, is_trigger: bool = False, neutral: bool | None = None, changes: Sequence[Change] = ()
    ) -> InputRecord:
        """Return an input record; its key and value are bytes if they cannot be decoded."""
        try:
            key, value, headers = self._decoders.of_source(record.topic)(record)
        except (CodecError, UnreadableRecordError):
            key, value, headers = record.key, record.value, record.headers
        return InputRecord(
            Position(*record[:3]),
            record.timestamp,
            key,
            value,
            headers,
            "trigger" if is_trigger else "data",
            neutral,
            self._path(record.topic),
            tuple(self.change(change) for change in changes),
        )

    def change(self, change: Change) -> StateChange:
        """Return the change of a store."""
        spec = self._plan.topology.stores[change.store]
        if spec.kind in {StoreKind.VERSIONED, StoreKind.CUSTOM}:
            key = change.key[0] if isinstance(change.key, tuple) and spec.kind is StoreKind.VERSIONED else change.key
            return StateChange(change.store, key, None, change.before, change.after, spec.internal)
        before, after = (
            None if row is None else row_of(spec, StoreChange(change.key, row)) for row in (change.before, change.after)
        )
        shown = after or before
        if shown is None:
            return StateChange(change.store, change.key, None, None, None, spec.internal)
        old, new = (None if row is None else row.value for row in (before, after))
        return StateChange(change.store, shown.key, shown.window, old, new, spec.internal)

    def _path(self, topic: str) -> tuple[str, ...]:
        if topic not in self._paths:
            self._paths[topic] = path_between(self._plan.topology, topic, self._ends)
        return self._paths[topic]
