"""The changelogs of a flow on Kafka are compacted topics, written in the transactions of its results."""

from random import Random

import pytest
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._resource import ResourceType

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.errors import RecordsRejectedError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.resettable_state import KafkaResettableState
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operations.reset import reset
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.resettable_state import Application
from eddyline.application.runtime.plan.changelogs import ChangelogProgress, changelog_topics
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.kafka.conftest import Read, Values
from tests.runtime.changelogs import contents, rebuilt


def joined(name: str) -> Topology:
    builder = TopologyBuilder()
    builder.table(f"{name}-in", key=str, value=str, store="rows").to_stream().to(f"{name}-out")
    return builder.build()


def run(settings: KafkaSettings, log: KafkaEventLog, name: str) -> None:
    ports = RunPorts(log, KafkaEventSink(settings, timeout_s=120), JsonCodecs(), MemoryStateStores())
    options = RunOptions(
        application_id=name, changelog_stores=("rows",), new_topic_partitions=1, production_exception_handler="continue"
    )
    MemoryRun(joined(name), ports, options, MemoryClock(1_000)).run_available_now()


def test_the_changelog_is_a_compacted_topic_with_the_entries_of_the_store(
    settings: KafkaSettings, log: KafkaEventLog, read: Read, topics: Topics, name: str
) -> None:
    sink = KafkaEventSink(settings, timeout_s=120)
    sink.create_topic(f"{name}-in", 2)
    rows = [(b"a", b"1", 0), (b"b", b"2", 1), (b"a", b"3", 0), (b"b", None, 1)]
    sink.write(name, 0, 0, [SinkRecord(f"{name}-in", key, value, 70, (), at) for key, value, at in rows])
    read(f"{name}-in")
    run(settings, log, name)

    topic = f"{name}-rows-changelog"
    written = [read(topic, partition) for partition in range(2)]
    changed = [[(record.key, record.value) for record in part[:-1]] for part in written]
    assert changed == [[(b'"a"', b'["3",70]')], [(b'"b"', None)]]
    ends = {f"{name}-in": [log.end_offset(f"{name}-in", 0), log.end_offset(f"{name}-in", 1)]}
    assert contents(log, "rows", 1, name)[-1] == ChangelogProgress(0, 1_000, 70, ends)
    assert [row.value for row in rebuilt(log, joined(name), "rows", application_id=name)] == ["3"]
    resource = ConfigResource(ResourceType.TOPIC, topic)
    admin = new_admin(settings)
    config = admin.describe_configs([resource])[resource].result()
    assert (config["cleanup.policy"].value, config["retention.ms"].value) == ("compact", "-1")

    application = Application(name, internal_topics=changelog_topics(joined(name), name))
    reset([KafkaResettableState(settings)], application, lambda _found: True)
    assert topic not in topics.names()


def test_results_and_changes_become_visible_together_or_not_at_all(
    settings: KafkaSettings, log: KafkaEventLog, read: Read, values: Values, topics: Topics, name: str
) -> None:
    sink = KafkaEventSink(settings, timeout_s=120)
    sink.create_topic(f"{name}-in", 1)
    topics.create(f"{name}-rows-changelog", 1, config={"cleanup.policy": "compact", "max.message.bytes": "2000"})
    sink.write(name, 0, 0, [SinkRecord(f"{name}-in", b"k", b"v", 70)])
    read(f"{name}-in")
    run(settings, log, name)
    assert (values(f"{name}-out"), len(values(f"{name}-rows-changelog"))) == ([b"v"], 2)
    sink.write(name, 0, 1, [SinkRecord(f"{name}-in", b"l", Random(0).randbytes(3_000).hex().encode(), 71)])
    read(f"{name}-in")
    with pytest.raises(RecordsRejectedError, match=r"max\.message\.bytes") as raised:
        run(settings, log, name)
    assert f"changelog topic '{name}-rows-changelog' must accept every entry" in raised.value.__notes__[0]
    assert (values(f"{name}-out"), len(values(f"{name}-rows-changelog"))) == ([b"v"], 2)
