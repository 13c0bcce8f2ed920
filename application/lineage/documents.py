"""Answers as JSON documents, with keys and values as topics have them."""

import base64
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from typing import Any, get_args

from eddyline.application.lineage.explanation import Explanation, Fate, InputRecord, ResultRecord, StateChange, StoreEntry
from eddyline.application.ports.codec import CodecError, Codecs
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.topology import Topology
from eddyline.application.topology.windows import Window, Windowed

Document = dict[str, Any]
"""A JSON object."""


class Documents:
    """Writes the answers about a flow as JSON objects; times are ms since the epoch."""

    def __init__(self, topology: Topology, codecs: Codecs) -> None:
        self._topology, self._codecs = topology, codecs.configured(topology.type_choices)
        self._sinks = {spec.name: spec for spec in topology.sink_topics}

    def explanation(self, found: Explanation) -> Document:
        """Return why there is a result or an entry."""
        subject = found.subject
        return {
            "subject": self.result(subject) if isinstance(subject, ResultRecord) else self._entry(subject),
            "found": found.found,
            "verified": found.verified,
            "inputs": [self.input(record) for record in found.inputs],
            "replayed": found.replayed,
            "replays": found.replays,
            "notes": list(found.notes),
        }

    def fate(self, found: Fate) -> Document:
        """Return what became of a record."""
        return {
            "record": self.input(found.record),
            "results": [self.result(result) for result in found.results],
            "total": found.total,
            "steps": [
                {"kind": step.kind, "node": step.node, "text": step.text, "changes": [self.change(each) for each in step.changes]}
                for step in found.steps
            ],
            "replayed": found.replayed,
            "notes": list(found.notes),
        }

    def result(self, record: ResultRecord) -> Document:
        """Return a result."""
        spec = self._sinks.get(record.topic)
        key_type, value_type = (None, None) if spec is None else (spec.key_type, spec.value_type)
        return {
            "topic": record.topic,
            "partition": None if record.position is None else record.position.partition,
            "offset": None if record.position is None else record.position.offset,
            "timestamp": record.timestamp,
            **self._key(record.key, key_type, record.topic),
            "value": self._value(record.value, value_type, record.topic),
        }

    def input(self, record: InputRecord) -> Document:
        """Return an input record."""
        topic, partition, offset = record.position
        spec = self._topology.source_topic(topic)
        key_type, value_type = (None, None) if spec is None else (spec.key_type, spec.value_type)
        return {
            "topic": topic,
            "partition": partition,
            "offset": offset,
            "timestamp": record.timestamp,
            **self._key(record.key, key_type, topic),
            "value": self._value(record.value, value_type, topic),
            "role": record.role,
            "neutral": record.neutral,
            "path": list(record.path),
            "changes": [self.change(change) for change in record.changes],
        }

    def change(self, change: StateChange) -> Document:
        """Return a change of a store."""
        spec = self._topology.stores[change.store]
        return {
            "store": change.store,
            "key": self._value(change.key, spec.key_type),
            "window": _window(change.window),
            "before": self._value(change.before, None if change.internal else spec.value_type),
            "after": self._value(change.after, None if change.internal else spec.value_type),
            "internal": change.internal,
        }

    def _entry(self, entry: StoreEntry) -> Document:
        spec = self._topology.stores[entry.store]
        return {
            "store": entry.store,
            "key": self._value(entry.key, spec.key_type),
            "window": _window(entry.window),
            "value": self._value(entry.value, spec.value_type),
        }

    def _key(self, key: Any, key_type: Any, topic: str) -> Document:
        if isinstance(key, Windowed):
            inner = get_args(key_type)[0] if get_args(key_type) else None
            return {"key": self._value(key.key, inner, topic), "window": _window(key.window)}
        return {"key": self._value(key, key_type, topic)}

    def _value(self, value: Any, value_type: Any, topic: str = "") -> Any:
        if value is None or value_type is None or isinstance(value, bytes):
            return self._untyped(value, topic)
        try:
            return json.loads(self._codecs.for_display(codec_type(value_type), topic).encode(value) or b"null")
        except Exception:  # noqa: BLE001 - the type is unknown, or the value is of another one
            return self._untyped(value, topic)

    def _untyped(self, value: Any, topic: str) -> Any:
        """Return a value of an unknown type as what JSON can represent."""
        if value is None or isinstance(value, str | bool | int | float):
            return value
        if isinstance(value, Windowed):
            return {"key": self._untyped(value.key, topic), "window": _window(value.window)}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._untyped(entry, topic) for entry in value]
        if isinstance(value, Mapping):
            return {str(name): self._untyped(entry, topic) for name, entry in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            with suppress(CodecError):  # a field has no JSON
                return json.loads(self._codecs.for_display(Any, topic).encode(value) or b"null")
        return _shown(value) if isinstance(value, bytes) else str(value)


def _shown(data: bytes) -> Any:
    """Return bytes as the lines of topic files have them: as text if they are UTF-8, else in base64."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _window(window: Window | None) -> Document | None:
    return None if window is None else {"start": window[0], "end": window[1]}
