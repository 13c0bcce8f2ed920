import io
import json
import re
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_log import LogRecord
from tests.adapters.cli.conftest import Eddyline, Outcome
from tests.adapters.kafka.conftest import eventually

Produce: TypeAlias = Callable[..., Outcome]
Records: TypeAlias = Callable[[], list[LogRecord]]


@pytest.fixture
def topic() -> str:
    return f"produced-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def produce(eddyline: Eddyline, kafka_broker: Broker, tmp_path: Path, topic: str) -> Produce:
    """Write the lines of a text, from a file, to a new topic of three partitions."""

    def call(text: str, *words: str) -> Outcome:
        (tmp_path / "lines").write_text(text)
        servers = ("--bootstrap-servers", kafka_broker.bootstrap_servers)
        return eddyline("produce", topic, "--file", "lines", "--create-topics", "--partitions", "3", *servers, *words)

    return call


@pytest.fixture
def records(kafka_broker: Broker, topic: str) -> Records:
    def read() -> list[LogRecord]:
        log = KafkaEventLog({"bootstrap.servers": kafka_broker.bootstrap_servers})
        found = [
            record
            for partition in range(log.partitions(topic))
            for batch in log.read(topic, partition, 0, log.end_offset(topic, partition))
            for record in batch
        ]
        log.close()
        return found

    return read


def test_each_line_is_a_record_whose_partition_and_offset_are_shown(produce: Produce, records: Records, topic: str) -> None:
    outcome = produce("a\nb\n\nc\n", "--partition", "1")
    assert outcome.code == 0, outcome.err
    assert [(record.partition, record.key, record.value) for record in records()] == [
        (1, None, v) for v in (b"a", b"b", b"", b"c")
    ]
    lines = outcome.out.splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"{topic}-1@{offset}" for offset in range(4)]
    assert all(re.fullmatch(r"\d+\.\d ms", line.split("\t")[1]) for line in lines)


def test_the_totals_show_the_acknowledgement_times(produce: Produce) -> None:
    outcome = produce("a\nb\n", "--quiet")
    assert outcome.out == ""
    assert re.search(r"2 records written, 0 refused, in .* within \d+\.\d ms \(p50\) and \d+\.\d ms \(p99\)", outcome.err)


def test_keys_headers_and_times_come_from_the_line_or_the_options(produce: Produce, records: Records) -> None:
    outcome = produce(
        "x=1=2\n", "--key-separator", "=", "--header", "a=1", "--header", "a=2", "--timestamp", "2026-03-01T12:00:00+01:00"
    )
    assert outcome.code == 0, outcome.err
    (record,) = records()
    assert (record.key, record.value) == (b"x", b"1=2")
    assert record.headers == (("a", b"1"), ("a", b"2"))
    assert record.timestamp == 1_772_362_800_000


def test_json_lines_are_whole_records_including_tombstones(produce: Produce, records: Records) -> None:
    lines = [
        {"key": "k", "value": {"price": 1.5}, "timestamp": 1_000, "headers": {"h": "x"}, "partition": 2},
        {"key": "k", "value": None, "timestamp": 2_000, "partition": 2},
        {"value": {"base64": "/w=="}, "timestamp": 3_000, "partition": 2},
    ]
    outcome = produce("".join(f"{json.dumps(line)}\n" for line in lines), "--format", "json", "--value-codec", "json")
    assert outcome.code == 0, outcome.err
    assert [(record.key, record.value, record.timestamp, record.headers) for record in records()] == [
        (b"k", b'{"price":1.5}', 1_000, (("h", b"x"),)),
        (b"k", None, 2_000, ()),
        (None, b"\xff", 3_000, ()),
    ]


def test_log_lines_become_events_whatever_bytes_they_contain(
    eddyline: Eddyline, kafka_broker: Broker, records: Records, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = b"2026-03-01T12:00:00Z [main] ERROR a.B - broken \xff\r\n\tat a.B.run\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="ascii"))
    words = ["--format", "log", "--key", "shop", "--create-topics", "--bootstrap-servers", kafka_broker.bootstrap_servers]
    assert eddyline("produce", topic, *words).code == 0
    assert [(record.key, record.timestamp, json.loads(record.value or b"")) for record in records()] == [
        (
            b"shop",
            1_772_366_400_000,
            {"service": "shop", "severity": "ERROR", "message": "broken \\xff", "logger": "a.B", "thread": "main"},
        ),
        (b"shop", 1_772_366_400_000, {"service": "shop", "severity": "ERROR", "message": "\tat a.B.run", "continued": True}),
    ]


def test_numbers_are_encoded_as_kafka_does(produce: Produce, records: Records) -> None:
    produce("7:-1\n", "--key-separator", ":", "--key-codec", "long", "--value-codec", "int")
    assert [(record.key, record.value) for record in records()] == [(b"\0\0\0\0\0\0\0\7", b"\xff\xff\xff\xff")]


def test_a_line_that_cannot_be_encoded_is_an_error_with_the_reason(produce: Produce) -> None:
    outcome = produce("1\nseven\n", "--value-codec", "long")
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith("error: cannot encode 'seven' as long: not an integer")
    assert "1 record written" in outcome.err


def test_the_partitioner_can_be_chosen(produce: Produce, records: Records) -> None:
    produce("".join("k:v\n" for _ in range(6)), "--key-separator", ":", "--partitioner", "round-robin")
    assert [record.partition for record in records()] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("acks", ["all", "1", "0"])
def test_every_acks_setting_writes_all_records(produce: Produce, records: Records, topic: str, acks: str) -> None:
    produce("first\n", "--partition", "0")  # a broker that does not lead the partition yet loses what it need not acknowledge
    outcome = produce("a\nb\n", "--acks", acks, "--partition", "0")
    eventually(lambda: len(records()) == 3)
    assert [record.value for record in records()] == [b"first", b"a", b"b"]
    offsets = [line.split("\t")[0] for line in outcome.out.splitlines()]
    assert offsets == ([f"{topic}-0@?"] * 2 if acks == "0" else [f"{topic}-0@1", f"{topic}-0@2"])


def test_the_rate_is_limited(produce: Produce) -> None:
    outcome = produce("v\n" * 6, "--rate", "10", "--quiet")
    seconds = re.search(r"in (\d+\.\d) s", outcome.err)
    assert seconds is not None
    assert float(seconds[1]) >= 0.5


def test_simulated_trades_are_keyed_by_ticker(produce: Produce, records: Records) -> None:
    outcome = produce("", "--simulate", "trades", "--max-records", "50", "--quiet")
    assert outcome.code == 0, outcome.err
    found = records()
    assert len(found) == 50
    assert all(json.loads(record.value or b"")["ticker"].encode() == record.key for record in found)


def test_a_missing_topic_is_an_error_with_the_fix(eddyline: Eddyline, kafka_broker: Broker, tmp_path: Path, topic: str) -> None:
    (tmp_path / "lines").write_text("v\n")
    outcome = eddyline("produce", topic, "-f", "lines", "--bootstrap-servers", kafka_broker.bootstrap_servers)
    assert outcome.code == 1
    assert f"error: topic '{topic}' is unknown in Kafka at '{kafka_broker.bootstrap_servers}' (setting log: kafka)" in outcome.err
    assert outcome.err.endswith("; create it with --create-topics, or choose the event log with --log\n")


def test_a_record_that_the_brokers_refuse_fails_the_command(produce: Produce) -> None:
    outcome = produce("small\n" + "x" * 1_500_000 + "\n", "--set", "message.max.bytes=2000000")
    assert outcome.code == 1
    assert "MSG_SIZE_TOO_LARGE" in outcome.err
    assert "1 record written, 1 refused" in outcome.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "linger.mss=4"], "unknown setting 'linger.mss' (from the command line); did you mean 'linger.ms'"),
        (["--value-codec", "xml"], "invalid --value-codec 'xml'; choose one of: json, avro, json-schema, protobuf, string"),
        (["--value-codec", "avro"], "codec 'avro' needs a schema registry; give its URL with --schema-registry"),
        (["--partitioner", "sticky"], "unknown partitioner 'sticky'; choose one of: by-key, round-robin"),
        (["--partitioner", "no_such:function"], "partitioner 'no_such:function' cannot be imported"),
        (["--timestamp", "noon"], "invalid --timestamp 'noon'; write it as 2026-03-01T12:00:00"),
        (["--header", "x"], "invalid --header 'x'; write it as NAME=VALUE"),
        (["--key-separator", ":"], "line 'v' has no key: the separator ':' is missing"),
        (["--format", "json"], "invalid line 'v': not JSON"),
    ],
)
def test_an_invalid_option_is_one_line_with_the_fix(produce: Produce, words: list[str], message: str) -> None:
    outcome = produce("v\n", *words)
    assert outcome.code in {1, 2}
    assert message in outcome.err.splitlines()[-1]


@pytest.mark.parametrize("module", ["parts", "parts.py", "./parts.py"])
def test_a_partitioner_is_found_where_flows_are(produce: Produce, records: Records, tmp_path: Path, module: str) -> None:
    (tmp_path / "parts.py").write_text("def last(record, partitions):\n    return partitions - 1\n")
    outcome = produce("a\nb\n", "--partitioner", f"{module}:last")
    assert outcome.code == 0, outcome.err
    assert [record.partition for record in records()] == [2, 2]


def test_an_invalid_partitioner_creates_no_topic(produce: Produce, topic: str, kafka_broker: Broker) -> None:
    assert "created topic" not in produce("a\n", "--partitioner", "no_such:function").err
    log = KafkaEventLog({"bootstrap.servers": kafka_broker.bootstrap_servers})
    assert topic not in log.topics()
    log.close()
