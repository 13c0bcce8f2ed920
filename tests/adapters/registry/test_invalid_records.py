"""Records in a Kafka topic that cannot be decoded as Avro become dead letters, and the flow continues."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.container import Container
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.registry.wire_format import PREFIX_BYTES
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.registry import Registry
from eddyline.adapters.settings import Settings
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.domain.trading import Trade
from tests.adapters.invalid_records import (
    MEGABYTES_20,
    TRACE_HEADER,
    TRADE,
    InvalidRecord,
    assert_dead_letters,
    copy_and_count_topology,
    engine_for,
    read_all,
    with_valid_records,
)
from tests.adapters.kafka.conftest import wait_until_settled

pytestmark = pytest.mark.xdist_group("spark")

UNKNOWN_ID = b"\x00\x7f\xff\xff\xff"


@pytest.fixture
def name() -> str:
    """A unique name of a topic and an application."""
    return f"invalid-records-{uuid.uuid4().hex[:12]}"


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
    container = Container(settings=Settings.load(settings))
    yield container
    container.log().close()
    container.sink().close()


def encoded(container: Container, topic: str, hint: type, value: object) -> bytes:
    data = container.codecs().for_value(topic, hint).encode(value)
    assert data is not None
    return data


@pytest.mark.parametrize("engine", ["memory", pytest.param("spark", marks=pytest.mark.spark)])
def test_every_invalid_record_becomes_a_dead_letter_and_the_flow_continues(
    container: Container, tmp_path: Path, request: pytest.FixtureRequest, engine: str, name: str
) -> None:
    spark = request.getfixturevalue("spark") if engine == "spark" else None
    valid = encoded(container, name, Trade, TRADE)
    prefix, payload = valid[:PREFIX_BYTES], valid[PREFIX_BYTES:]
    string = encoded(container, f"{name}-strings", str, "a string")
    invalid = {
        "empty value": InvalidRecord(b"", "the data is empty"),
        "no schema id": InvalidRecord(b'{"price": 1}', "its first byte is 123, not 0"),
        "truncated schema id": InvalidRecord(b"\x00\x00", "the data ends within the schema id, after 2 bytes"),
        "unknown schema id": InvalidRecord(UNKNOWN_ID + payload, "schema id 2147483647 is unknown to the schema registry"),
        "wrong type": InvalidRecord(string, "is incompatible with the type of the flow"),
        "truncated Avro": InvalidRecord(valid[:-2], "of Avro"),
        "invalid UTF-8": InvalidRecord(valid.replace(b"MSFT", b"\xff\xfe\xff\xfe"), "of Avro"),
        "invalid UTF-8 in a key": InvalidRecord(valid, "not UTF-8 at byte 0", b"\xff"),
        "20 MB": InvalidRecord(prefix + b"\xff" * MEGABYTES_20, "of Avro"),
    }
    Topics(container.kafka_settings()).create(name, 1, config={"max.message.bytes": "25000000"})
    by_header = SinkRecord(name, b"valid", payload, 2_000, (("__value_schema_id", prefix), TRACE_HEADER), 0)
    container.sink().write(name, 0, 0, [*with_valid_records(name, invalid, valid), by_header])
    wait_until_settled(container.kafka_settings(), name)

    report = engine_for(container, copy_and_count_topology(name), name, tmp_path / "checkpoint", spark).run_available_now()

    for topic in (f"{name}-dead-letters", f"{name}-copies", f"{name}-counts"):
        wait_until_settled(container.kafka_settings(), topic)
    log = container.log()
    assert_dead_letters(log, name, name, list(invalid.values()))
    assert (report.records, report.dead_letters) == (len(invalid) + 2, len(invalid))
    assert report.drops == {(name, "undecodable"): len(invalid)}
    copies = read_all(log, f"{name}-copies")
    trades = container.codecs().for_value(f"{name}-copies", Trade)
    assert [trades.decode(copy.value, copy.headers) for copy in copies] == [TRADE] * (len(invalid) + 2)
    assert {copy.headers for copy in copies} == {(TRACE_HEADER,)}, "the header with the schema id is not copied"
    assert len(read_all(log, f"{name}-counts")) == len(invalid) + 2
