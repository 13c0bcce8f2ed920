"""`eddyline dead-letters` on a real broker."""

import uuid
from collections.abc import Callable

import pytest

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import reason_headers
from tests.adapters.cli.conftest import Eddyline, Outcome
from tests.adapters.kafka.conftest import read_all, wait_until_settled

TRACE = ("trace", b"\xff")


@pytest.fixture
def settings(kafka_broker: Broker) -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})


@pytest.fixture
def name() -> str:
    """The name of a topic and an application that no other test uses."""
    return f"letters-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def letters(eddyline: Eddyline, settings: KafkaSettings, name: str) -> Callable[..., Outcome]:
    """The command, with dead letters of records of partition 2, which the partitioner would not choose for their keys."""
    sink = KafkaEventSink(settings)
    sink.create_topic(name, 3)
    sink.create_topic(f"{name}-dead-letters", 1)
    dead_letters = [
        SinkRecord(
            f"{name}-dead-letters",
            b"AAPL",
            b"value %d" % number,
            1_000 + number,
            (TRACE, *reason_headers(CodecError("no price"), name, 2, 40 + number)),
        )
        for number in range(3)
    ]
    sink.write(name, 0, 0, dead_letters)
    wait_until_settled(settings, f"{name}-dead-letters")
    options = ["--application-id", name, "--log", "kafka", "--bootstrap-servers", settings.bootstrap_servers]
    return lambda *words: eddyline("dead-letters", words[0], "word-count", *words[1:], *options)


def test_dead_letters_are_redriven_to_their_partitions_once_in_any_order(
    letters: Callable[..., Outcome], settings: KafkaSettings, name: str
) -> None:
    listed = letters("list")
    assert [line.split()[:4] for line in listed.out.splitlines()[1:]] == [
        [f"0:{number}", name, "2", str(40 + number)] for number in range(3)
    ]
    assert "value: value 1" in letters("show", "0:1").out.splitlines()

    assert letters("redrive", "--execute", "0:2").err == "1 redriven, 0 already redriven\n"
    assert letters("redrive", "--execute", "0:0", "0:2").err == "1 redriven, 1 already redriven\n"
    assert letters("redrive", "--execute", "--all").err == "1 redriven, 2 already redriven\n"
    assert letters("redrive", "--execute", "--all").err == "0 redriven, 3 already redriven\n"

    wait_until_settled(settings, name)
    log = KafkaEventLog(settings)
    found = [record for partition in range(3) for record in read_all(log, name, partition)]
    assert [record._replace(offset=0) for record in found] == [
        LogRecord(name, 2, 0, 1_000 + number, b"AAPL", b"value %d" % number, (TRACE,)) for number in (2, 0, 1)
    ]
    wait_until_settled(settings, f"{name}-dead-letters-redriven")
    assert letters("list").err.startswith(f"3 dead letters in '{name}-dead-letters', 3 redriven")
