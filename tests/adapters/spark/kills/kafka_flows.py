"""Stock statistics from Kafka to Kafka in several variants, and checks that their results are complete and without duplicates."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from pyspark.sql import SparkSession

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import Guarantee, KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import SinkNode
from eddyline.application.topology.types import Emit
from tests.adapters.kafka.conftest import read_all, wait_until_settled
from tests.adapters.spark.running import in_memory, updates, updates_in_memory

PARTITIONS: Final = 2
SOURCE: Final = "trades"
_GRACE_MS: Final = 1_000

Updates: TypeAlias = dict[bytes | None, list[tuple[int, Any]]]


class Variant(NamedTuple):
    """A way to run the flow: which updates it emits, the guarantee of its sink, and the topic of its results."""

    emit: Emit
    guarantee: Guarantee
    topic: str


VARIANTS: Final = (
    Variant("every-update", Guarantee.EXACTLY_ONCE, "every-update"),
    Variant("latest", Guarantee.EXACTLY_ONCE, "latest"),
    Variant("every-update", Guarantee.AT_LEAST_ONCE, "at-least-once"),
)


def topology(topic: str) -> Topology:
    """Return the stock statistics with this topic for the results."""
    stock_stats = find_flow("stock-stats").topology(grace_ms=_GRACE_MS)
    nodes = tuple(replace(node, topic=topic) if isinstance(node, SinkNode) else node for node in stock_stats.nodes)
    return replace(stock_stats, nodes=nodes)


def engine(
    settings: KafkaSettings, folder: Path, variant: Variant, *, session: SparkSession | None = None, **options: Any
) -> SparkEngine:
    """Return the engine of a variant, with its checkpoint in `folder`."""
    sink = KafkaEventSink(settings, guarantee=variant.guarantee)
    return SparkEngine(
        topology(variant.topic),
        RunPorts(KafkaEventLog(settings), sink, JsonCodecs(), MemoryStateStores()),
        RunOptions(application_id=variant.topic, emit=variant.emit, new_topic_partitions=PARTITIONS, **options),
        checkpoint_dir=checkpoint(folder, variant),
        session=session,
    )


def checkpoint(folder: Path, variant: Variant) -> Path:
    """Return the checkpoint of a variant."""
    return folder / variant.topic


def results(settings: KafkaSettings, topic: str) -> list[LogRecord]:
    """Return the committed records of a topic once no transaction is open, partition by partition."""
    wait_until_settled(settings, topic)
    log = KafkaEventLog(settings)
    found = [record for number in range(PARTITIONS) for record in read_all(log, topic, number)]
    log.close()
    return found


def append(settings: KafkaSettings, records: Sequence[SinkRecord]) -> None:
    """Append records to the source topic; create it if it does not exist."""
    sink = KafkaEventSink(settings, guarantee=Guarantee.AT_LEAST_ONCE)
    sink.create_topic(SOURCE, PARTITIONS)
    sink.write("given", 0, 0, records)
    sink.close()


def expected_updates(records: Sequence[SinkRecord]) -> Updates:
    """Return the updates of each key, in order, of a run that nothing interrupts."""
    expected = topology("expected")
    return updates_in_memory(expected, in_memory(expected, SOURCE, records, PARTITIONS), "expected")


def differences(variant: Variant, found: Sequence[LogRecord], expected: Updates) -> list[str]:
    """Return a line for everything that is wrong with the results of a variant."""
    return _CHECKS[variant.topic](updates(found), expected)


def _different_updates(found: Updates, expected: Updates) -> list[str]:
    """Check every update, exactly once: each key must have the expected updates in the expected order."""
    return [
        f"{_name(key)}: {len(found.get(key, ()))} updates in place of {len(expected.get(key, ()))}, or different, or out of order"
        for key in found.keys() | expected.keys()
        if found.get(key) != expected.get(key)
    ]


def _different_tables(found: Updates, expected: Updates) -> list[str]:
    """Check the latest updates, exactly once.

    The last update of each key must be the expected one, and the others a part of the expected ones, in order and each once.
    """
    lines = [f"{_name(key)}: missing, or not expected" for key in found.keys() ^ expected.keys()]
    for key in found.keys() & expected.keys():
        own = found[key]
        if own[-1] != expected[key][-1]:
            lines.append(f"{_name(key)}: the last update is {own[-1]} in place of {expected[key][-1]}")
        if len({json.dumps(update) for update in own}) < len(own):
            lines.append(f"{_name(key)}: an update is duplicated")
        rest = iter(expected[key])
        if not all(update in rest for update in own):
            lines.append(f"{_name(key)}: an update is not expected, or out of order")
    return lines


def _missing_updates(found: Updates, expected: Updates) -> list[str]:
    """Check every update, at least once: none may be missing."""
    lines = []
    for key, wanted in expected.items():
        own = {json.dumps(update) for update in found.get(key, ())}
        missing = sum(json.dumps(update) not in own for update in wanted)
        if missing:
            lines.append(f"{_name(key)}: {missing} of {len(wanted)} updates are missing")
    return lines


def _name(key: bytes | None) -> str:
    return "no key" if key is None else key.decode()


_CHECKS: Final[Mapping[str, Callable[[Updates, Updates], list[str]]]] = {
    "every-update": _different_updates,
    "latest": _different_tables,
    "at-least-once": _missing_updates,
}
