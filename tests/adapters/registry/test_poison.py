"""Poison in a Kafka topic, in Avro with schemas of the registry: each bad record becomes a dead letter, and the flow goes on."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.container import Container
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.registry.wire import PREFIX_BYTES
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.registry import Registry
from eddyline.adapters.settings import Settings
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.domain.trading import Trade
from tests.adapters.kafka.conftest import wait_until_settled
from tests.adapters.poison import (
    GOOD,
    MEGABYTES_20,
    TRACE,
    Bad,
    among_good_ones,
    check_letters,
    copied_and_counted,
    everything,
    runner,
)

UNKNOWN_ID = b"\x00\x7f\xff\xff\xff"


@pytest.fixture
def name() -> str:
    """A name that no other test uses."""
    return f"poison-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def container(kafka_broker: Broker, schema_registry: Registry, tmp_path: Path) -> Iterator[Container]:
    settings = {
        "log": "kafka",
        "bootstrap.servers": kafka_broker.bootstrap_servers,
        "schema.registry.url": schema_registry.url,
        "default.value.codec": "avro",
        "state.dir": str(tmp_path),
        "emit": "every-update",
        "num.partitions": 2,
    }
    made = Container(settings=Settings.load(settings))
    yield made
    made.log().close()
    made.sink().close()


def encoded(container: Container, topic: str, found: type, value: object) -> bytes:
    data = container.codecs().for_value(topic, found).encode(value)
    assert data is not None
    return data


@pytest.mark.parametrize("engine", ["memory", pytest.param("spark", marks=pytest.mark.spark)])
def test_every_poisoned_record_becomes_a_dead_letter_and_the_flow_goes_on(
    container: Container, tmp_path: Path, request: pytest.FixtureRequest, engine: str, name: str
) -> None:
    spark = request.getfixturevalue("spark") if engine == "spark" else None
    good = encoded(container, name, Trade, GOOD)
    prefix, payload = good[:PREFIX_BYTES], good[PREFIX_BYTES:]
    text = encoded(container, f"{name}-texts", str, "a text")
    poison = {
        "empty value": Bad(b"", "it is empty"),
        "no schema id": Bad(b'{"price": 1}', "its first byte is 123, not 0"),
        "cut off in the schema id": Bad(b"\x00\x00", "it ends within the schema id, after 2 bytes"),
        "unknown schema id": Bad(UNKNOWN_ID + payload, "schema id 2147483647 is unknown to the registry"),
        "wrong type": Bad(text, "is not ours"),
        "truncated Avro": Bad(good[:-2], "of Avro"),
        "invalid UTF-8": Bad(good.replace(b"MSFT", b"\xff\xfe\xff\xfe"), "of Avro"),
        "invalid UTF-8 in a key": Bad(good, "not UTF-8 at byte 0", b"\xff"),
        "20 MB": Bad(prefix + b"\xff" * MEGABYTES_20, "of Avro"),
    }
    Topics(container.kafka_settings()).create(name, 1, config={"max.message.bytes": "25000000"})
    by_header = SinkRecord(name, b"good", payload, 2_000, (("__value_schema_id", prefix), TRACE), 0)
    container.sink().write(name, 0, 0, [*among_good_ones(name, poison, good), by_header])
    wait_until_settled(container.kafka_settings(), name)

    report = runner(container, copied_and_counted(name), name, tmp_path / "checkpoint", spark).run_available_now()

    for topic in (f"{name}-dead-letters", f"{name}-copies", f"{name}-counts"):
        wait_until_settled(container.kafka_settings(), topic)
    log = container.log()
    check_letters(log, name, name, list(poison.values()))
    assert (report.records, report.dead_letters) == (len(poison) + 2, len(poison))
    assert report.drops == {(name, "undecodable"): len(poison)}
    copies = everything(log, f"{name}-copies")
    trades = container.codecs().for_value(f"{name}-copies", Trade)
    assert [trades.decode(copy.value, copy.headers) for copy in copies] == [GOOD] * (len(poison) + 2)
    assert {copy.headers for copy in copies} == {(TRACE,)}, "what tells how the bytes are to be read ends where they are read"
    assert len(everything(log, f"{name}-counts")) == len(poison) + 2
