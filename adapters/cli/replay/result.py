"""The result of a replay as JSON: every record that was emitted, in order, and the stores at the end."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, get_args

from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import Topology, Window, Windowed
from eddyline.application.topology.types import UNKNOWN


class Emitted(NamedTuple):
    """A record that a topology emitted; `after_input` is the input step that caused it, None if the engine does not know it."""

    topic: str
    key: Any
    value: Any
    timestamp: int
    headers: Headers
    after_input: int | None


class Encoder:
    """Converts records and stores of a topology to plain JSON values, with the codecs of its topics."""

    def __init__(self, topology: Topology, codecs: Codecs) -> None:
        self._codecs = codecs.configured(topology.type_choices)
        self._types = {spec.name: (spec.key_type, spec.value_type) for spec in topology.sink_topics}
        self._stores = topology.stores

    def document(self, emitted: Iterable[Emitted], stores: Mapping[str, Iterable[StoreRow]]) -> dict[str, Any]:
        """Return the result of a case."""
        return {
            "output": [self._record(record) for record in emitted],
            "stores": {name: [self._row(name, row) for row in rows] for name, rows in stores.items()},
        }

    def _record(self, record: Emitted) -> dict[str, Any]:
        key_type, value_type = self._types.get(record.topic, (UNKNOWN, UNKNOWN))
        key, window = record.key, None
        if isinstance(key, Windowed):
            key, window = key
            key_type = get_args(key_type)[0] if get_args(key_type) else UNKNOWN
        encoded = self._plain(record.topic, key, key_type)
        row: dict[str, Any] = {
            "topic": record.topic,
            "key": encoded if window is None else {"key": encoded, "window": _bounds(window)},
            "value": self._plain(record.topic, record.value, value_type),
            "timestamp": record.timestamp,
        }
        if record.headers:
            row["headers"] = {name: None if value is None else value.decode() for name, value in record.headers}
        if record.after_input is not None:
            row["after_input"] = record.after_input
        return row

    def _row(self, store: str, row: StoreRow) -> dict[str, Any]:
        spec = self._stores[store]
        value = self._plain(store, row.value, spec.value_type)
        if is_dataclass(row.value) and len(fields(row.value)) == 1:
            (value,) = value.values()  # Kafka Streams' stores hold the collection or the number itself
        shown: dict[str, Any] = {"key": self._plain(store, row.key, spec.key_type), "value": value}
        if row.window is not None:
            shown["window"] = _bounds(row.window)
        if row.timestamp is not None:
            shown["timestamp"] = row.timestamp
        if row.valid_to is not None:
            shown["valid_to"] = row.valid_to
        return shown

    def _plain(self, topic: str, value: Any, kind: object) -> Any:
        if value is None or isinstance(value, str | bool | int | float):
            return value
        data = self._codecs.for_value(topic, kind).encode(value)
        return None if data is None else json.loads(data)


def as_text(document: Mapping[str, Any]) -> str:
    """Return a result as JSON text, with one line per record or row."""
    stores = ",\n".join(f"{json.dumps(name)}: {_lines(rows)}" for name, rows in document["stores"].items())
    return f'{{"output": {_lines(document["output"])},\n"stores": {{\n{stores}\n}}}}\n'


def _lines(rows: Iterable[Any]) -> str:
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{lines}\n]" if lines else "[]"


def _bounds(window: Window) -> dict[str, int]:
    return {"start": window.start, "end": window.end}
