"""Records of a megabyte on the local engine: what it keeps of them is limited in bytes."""

import uuid
from pathlib import Path
from random import Random

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import eventually
from tests.fixtures.commands import Commands

MEGABYTE = 1_000_000
RECORDS, PARTITIONS = 400, 2
MOST_BYTES = 16 * MEGABYTE

FLOWS = """
from eddyline import TopologyBuilder
from eddyline.application.flows.flow import Flow


def copied(builder):
    builder.stream("{name}-in", key=str, value=str).map_values(lambda text: text[:-1], value=str).to("{name}-out")


FLOWS = (Flow("copied", "Copies.", copied),)
"""


def test_memory_is_bounded_by_bytes_and_nothing_is_lost(kafka_broker: Broker, commands: Commands, tmp_path: Path) -> None:
    name = f"large-{uuid.uuid4().hex[:8]}"
    settings = KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})
    sink = KafkaEventSink(settings)
    for topic in (f"{name}-in", f"{name}-out"):
        sink.create_topic(topic, PARTITIONS)
    text = Random(0).randbytes(MEGABYTE // 2).hex().encode()[: MEGABYTE - 20]
    for batch in range(RECORDS // 20):
        numbers = range(batch * 20, batch * 20 + 20)
        records = [SinkRecord(f"{name}-in", b"%d" % n, b"%s%06d." % (text, n), n, (), n % PARTITIONS) for n in numbers]
        sink.write(name, 0, batch, records)
    sink.close()
    (tmp_path / "large.py").write_text(FLOWS.replace("{name}", name))
    commands.start(
        *("run", "run", "copied", "--flows", tmp_path / "large.py", "--engine", "local", "--application-id", name),
        *("--data-dir", tmp_path / "data", "--bootstrap-servers", kafka_broker.bootstrap_servers),
        *("--set", f"input.buffer.max.bytes={MOST_BYTES}", "--set", "processing.guarantee=at_least_once"),
    )
    log = KafkaEventLog(settings)

    found: list[bytes] = []
    positions = [0] * PARTITIONS

    def are_all_there() -> bool:
        for partition, position in enumerate(positions):
            positions[partition] = end = log.end_offset(f"{name}-out", partition)
            for records in log.read(f"{name}-out", partition, position, end):
                found.extend((record.value or b"")[-6:] for record in records)
        return len(found) >= RECORDS

    eventually(are_all_there, 240)
    peak = commands.peak_bytes("run")
    assert sorted(found) == [b"%06d" % number for number in range(RECORDS)]
    assert peak < 450 * MEGABYTE
