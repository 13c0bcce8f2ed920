"""Stock statistics from Kafka to Kafka in three ways at once, and how to tell that nothing was lost or doubled."""

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
from eddyline.application.runtime.options import Emit, RunOptions, RunPorts
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import SinkNode
from tests.adapters.kafka.conftest import read_all, wait_until_settled
from tests.adapters.spark.running import in_memory, updates, updates_in_memory

PARTITIONS: Final = 2
SOURCE: Final = "trades"
_GRACE_MS: Final = 1_000

Updates: TypeAlias = dict[bytes | None, list[tuple[int, Any]]]


class Way(NamedTuple):
    """How a flow runs: what it lets out, what a repeated batch leads to, and the topic of its results."""

    emit: Emit
    guarantee: Guarantee
    topic: str


WAYS: Final = (
    Way("every-update", Guarantee.EXACTLY_ONCE, "every-update"),
    Way("latest", Guarantee.EXACTLY_ONCE, "latest"),
    Way("every-update", Guarantee.AT_LEAST_ONCE, "at-least-once"),
)


def topology(topic: str) -> Topology:
    """The stock statistics, with results in this topic."""
    said = find_flow("stock-stats").topology(grace_ms=_GRACE_MS)
    nodes = tuple(replace(node, topic=topic) if isinstance(node, SinkNode) else node for node in said.nodes)
    return replace(said, nodes=nodes)


def engine(
    settings: KafkaSettings, folder: Path, way: Way, *, session: SparkSession | None = None, **options: Any
) -> SparkEngine:
    """An engine for a way, with a checkpoint of its own."""
    return SparkEngine(
        topology(way.topic),
        RunPorts(KafkaEventLog(settings), KafkaEventSink(settings, guarantee=way.guarantee), JsonCodecs(), MemoryStateStores()),
        RunOptions(application_id=way.topic, emit=way.emit, new_topic_partitions=PARTITIONS, **options),
        checkpoint_dir=checkpoint(folder, way),
        session=session,
    )


def checkpoint(folder: Path, way: Way) -> Path:
    """Where a way keeps its progress."""
    return folder / way.topic


def results(settings: KafkaSettings, topic: str) -> list[LogRecord]:
    """The committed records of a topic once no transaction is open, partition by partition."""
    wait_until_settled(settings, topic)
    log = KafkaEventLog(settings)
    found = [record for number in range(PARTITIONS) for record in read_all(log, topic, number)]
    log.close()
    return found


def append(settings: KafkaSettings, given: Sequence[SinkRecord]) -> None:
    """Puts records at the end of the source topic, made where it is missing."""
    sink = KafkaEventSink(settings, guarantee=Guarantee.AT_LEAST_ONCE)
    sink.create_topic(SOURCE, PARTITIONS)
    sink.write("given", 0, 0, given)
    sink.close()


def undisturbed(given: Sequence[SinkRecord]) -> Updates:
    """The updates of each key of a run that nothing disturbs, in order."""
    said = topology("undisturbed")
    return updates_in_memory(said, in_memory(said, SOURCE, given, PARTITIONS), "undisturbed")


def faults(way: Way, found: Sequence[LogRecord], expected: Updates) -> list[str]:
    """What is wrong with the results of a way, a line each; nothing when all is well."""
    return _JUDGES[way.topic](updates(found), expected)


def _not_the_same(found: Updates, expected: Updates) -> list[str]:
    """With every update let out exactly once, each key has the same updates in the same order."""
    return [
        f"{_name(key)}: {len(found.get(key, ()))} updates in place of {len(expected.get(key, ()))}, or others, or out of order"
        for key in found.keys() | expected.keys()
        if found.get(key) != expected.get(key)
    ]


def _other_tables(found: Updates, expected: Updates) -> list[str]:
    """With the latest let out, the last update of each key is the same; none comes twice, and none that there never was."""
    lines = [f"{_name(key)}: missing, or not expected" for key in found.keys() ^ expected.keys()]
    for key in found.keys() & expected.keys():
        own = found[key]
        if own[-1] != expected[key][-1]:
            lines.append(f"{_name(key)}: ends as {own[-1]} in place of {expected[key][-1]}")
        if len({json.dumps(update) for update in own}) < len(own):
            lines.append(f"{_name(key)}: an update came twice")
        rest = iter(expected[key])
        if not all(update in rest for update in own):
            lines.append(f"{_name(key)}: an update that an undisturbed run does not give, or out of order")
    return lines


def _lost(found: Updates, expected: Updates) -> list[str]:
    """At least once, every update is there."""
    lines = []
    for key, wanted in expected.items():
        own = {json.dumps(update) for update in found.get(key, ())}
        missing = sum(json.dumps(update) not in own for update in wanted)
        if missing:
            lines.append(f"{_name(key)}: {missing} of {len(wanted)} updates are lost")
    return lines


def _name(key: bytes | None) -> str:
    return "no key" if key is None else key.decode()


_JUDGES: Final[Mapping[str, Callable[[Updates, Updates], list[str]]]] = {
    "every-update": _not_the_same,
    "latest": _other_tables,
    "at-least-once": _lost,
}
