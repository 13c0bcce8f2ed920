"""Hostile input for the sample flows: records that decode, or nearly so, with values, keys and timestamps at the edge."""

import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Final

from eddyline import Topology
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.samples.catalogue import SIMULATORS, find_flow

VALUES: Final = (
    "1e400",
    "-1e400",
    "NaN",
    "-Infinity",
    '"NaN"',
    '"Infinity"',
    "1e308",
    "-1.7e308",
    "-0.0",
    "5e-324",
    "0",
    "-1",
    "1.5",
    "9" * 400,
    "-" + "9" * 400,
    "9" * 5_000,
    str(1 << 63),
    str(1 << 64),
    str(-(1 << 63) - 1),
    str((1 << 53) + 1),
    "null",
    "true",
    '""',
    '" "',
    '"\\u0000"',
    '"\\ud800"',
    '"\\uffff"',
    '"9999-12-31"',
    '"10000-01-01"',
    '"0001-01-01"',
    '"9999-12-31T23:59:59.999999Z"',
    json.dumps("x" * 7_000),
    "[]",
    "{}",
    "[null]",
    '{"":null}',
    '{"a":1,"a":2}',
    *("[" * depth + "]" * depth for depth in (50, 90, 98, 99, 120, 200, 250, 300)),
    *('{"a":' * depth + "1" + "}" * depth for depth in (50, 95, 120, 200, 300)),
    "[" * 100_000,
)
"""JSON texts, by themselves and in each field of a valid value."""

TIMESTAMPS: Final = (
    -1,
    -(1 << 63),
    0,
    253_402_300_799_999,
    253_402_300_800_000,
    1 << 53,
    1 << 62,
    (1 << 62) + 1,
    (1 << 63) - 1,
)
"""Timestamps in ms since the epoch: before it, in the year 10000, and at the end of integers of 64 bits."""

KEYS: Final = (None, b"", b"\x00", b"\xff", b"null", b"k" * 100_000, "\uffff".encode())

_SAMPLES: Final[Mapping[str, Any]] = {
    "trades": {"type": "ASK", "ticker": "IBM", "price": 12.5, "size": 100},
}


@cache
def valid_values(flow: str, count: int) -> list[SinkRecord]:
    """Return valid records."""
    for simulator in SIMULATORS:
        if simulator.name == flow:
            codecs = JsonCodecs()
            found = [
                SinkRecord(
                    topic,
                    None if key is None else key.encode(),
                    None if value is None else codecs.for_value(topic, type(value)).encode(value),
                    timestamp,
                )
                for topic, key, value, timestamp in islice(simulator.generate(seed=1), count * 5)
            ]
            step = max(1, len(found) // count)
            return found[::step]
    return [
        SinkRecord(spec.name, key.encode(), json.dumps(value).encode(), number * 700)
        for spec in find_flow(flow).topology().source_topics
        for number in range(count)
        for key, value in [(f"k{number % 3}", sample(spec.name, spec.value_type, number))]
    ]


def sample(topic: str, value_type: Any, number: int) -> Any:
    """Return a valid value of a topic without a simulator."""
    fields = getattr(value_type, "__dataclass_fields__", None)
    if fields is None:
        return {"symbol": "IBM", "sector": "Tech", "date": "2024-01-02", "open": 10 + number, "close": 12.5}
    given = _SAMPLES.get(topic, {})
    return {
        name: (12.5 + number if str(field.type) in ("float", "<class 'float'>") else given.get(name, "ASK"))
        for name, field in fields.items()
    }


def hostile_values(valid: bytes) -> Iterator[bytes]:
    """Return the hostile values, also in each field of a valid value, and the value with a field missing."""
    for text in VALUES:
        yield text.encode()
    try:
        value = json.loads(valid)
    except ValueError:
        return
    if not isinstance(value, dict):
        return
    for name in value:
        for text in VALUES:
            rest = [f"{json.dumps(other)}:{json.dumps(field)}" for other, field in value.items() if other != name]
            yield ("{" + ",".join([*rest, f"{json.dumps(name)}:{text}"]) + "}").encode()
        yield json.dumps({other: field for other, field in value.items() if other != name}).encode()


@cache
def hostile_records(flow: str) -> list[SinkRecord]:
    """Return hostile records for all source topics of a flow."""
    records: list[SinkRecord] = []
    valid = valid_values(flow, 60)
    for spec in find_flow(flow).topology().source_topics:
        of_topic = [record for record in valid if record.topic == spec.name and record.value is not None]
        topic, _, value, timestamp, _, _ = of_topic[len(of_topic) // 2] if of_topic else SinkRecord(spec.name, b"k", b"{}", 5_000)
        records += [SinkRecord(topic, b"hostile", text, timestamp) for text in hostile_values(value or b"")]
        records += [SinkRecord(topic, b"hostile", None, timestamp), SinkRecord(topic, None, None, timestamp)]
        records += [SinkRecord(topic, hostile, value, timestamp) for hostile in KEYS]
        records += [SinkRecord(topic, b"hostile", value, hostile) for hostile in TIMESTAMPS]
        records += [SinkRecord(topic, hostile, None, timestamp) for hostile in KEYS]
    return records


def log_of(topology: Topology, records: list[SinkRecord]) -> MemoryEventLog:
    """Return a log with the records in one partition for each topic."""
    log = MemoryEventLog()
    for spec in topology.source_topics:
        log.create_topic(spec.name, 1)
    for topic, key, value, timestamp, headers, _ in records:
        log.append(topic, key, value, timestamp, headers, partition=0)
    return log


def mixed(flow: str, seed: int, *, most: int) -> list[SinkRecord]:
    """Return valid records in their order with hostile ones in random places, at most so many."""
    rng = random.Random(seed)
    valid = list(valid_values(flow, 60))
    hostile = hostile_records(flow)
    for record in rng.sample(hostile, min(most, len(hostile))):
        valid.insert(rng.randrange(len(valid) + 1), record)
    return valid
