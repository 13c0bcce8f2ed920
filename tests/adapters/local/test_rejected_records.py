"""Results that a topic on Kafka does not accept, on the local engine."""

import uuid

import pytest

from eddyline.adapters.container import Container
from eddyline.adapters.kafka.errors import RecordsRejectedError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.settings import Settings
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.topology import TopologyBuilder
from tests.adapters.kafka.conftest import wait_until_settled


def run(name: str, broker: Broker, handler: str, guarantee: str) -> RunReport:
    settings = Settings.load(
        {
            "log": "kafka",
            "bootstrap.servers": broker.bootstrap_servers,
            "num.partitions": 1,
            "producer.compression.type": "none",
            "production.exception.handler": handler,
            "processing.guarantee": guarantee,
        }
    )
    builder = TopologyBuilder()
    builder.stream(f"{name}-in", key=str, value=int).map_values(lambda size: "x" * size, value=str).to(f"{name}-out")
    container = Container(settings=settings)
    report: RunReport = container.local_engine(
        builder.build(), options=container.options(application_id=name)
    ).run_available_now()
    return report


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
@pytest.mark.parametrize("handler", ["continue", "fail"])
def test_the_production_handler_decides_about_results_that_are_too_large(
    kafka_broker: Broker, handler: str, guarantee: str
) -> None:
    name = f"rejected-{uuid.uuid4().hex[:8]}"
    settings = KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})
    topics = Topics(settings)
    topics.create(f"{name}-in", 1)
    topics.create(f"{name}-out", 1, config={"max.message.bytes": "2000"})
    container = Container(settings=Settings.load({"log": "kafka", "bootstrap.servers": kafka_broker.bootstrap_servers}))
    sizes = [5, 90_000, 7]
    records = [SinkRecord(f"{name}-in", b"k", str(size).encode(), number + 1) for number, size in enumerate(sizes)]
    container.sink().write(f"{name}-input", 0, 0, records)
    wait_until_settled(settings, f"{name}-in")
    log = container.log()
    if handler == "fail":
        with pytest.raises(RecordsRejectedError):
            run(name, kafka_broker, handler, guarantee)
        if guarantee == "exactly_once_v2":
            assert [record for batch in log.read(f"{name}-out", 0, 0, log.end_offset(f"{name}-out", 0)) for record in batch] == []
        return
    report = run(name, kafka_broker, handler, guarantee)
    wait_until_settled(settings, f"{name}-out")
    found = [record for batch in log.read(f"{name}-out", 0, 0, log.end_offset(f"{name}-out", 0)) for record in batch]
    lengths = [len(record.value or b"") for record in found]
    assert (lengths if guarantee == "exactly_once_v2" else sorted(set(lengths))) == [5, 7]
    assert sum(report.drops.values()) == 1
