import json
import signal
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from confluent_kafka import Producer

from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.groups.committed_offsets import group_offsets
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from tests.adapters.cli.conftest import Eddyline, Outcome
from tests.adapters.kafka.conftest import eventually
from tests.fixtures.forks.forked import ForkedCommand

Consume: TypeAlias = Callable[..., Outcome]
Write: TypeAlias = Callable[..., None]


@pytest.fixture
def settings(kafka_broker: Broker) -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})


@pytest.fixture
def topic(settings: KafkaSettings) -> str:
    """A topic of three partitions."""
    name = f"consumed-{uuid.uuid4().hex[:12]}"
    Topics(settings).create(name, 3)
    return name


@pytest.fixture
def write(settings: KafkaSettings, topic: str) -> Write:
    """Write values, one partition after the other, with timestamps a second apart from 1 s on."""

    def produce(*values: str, partition: int | None = None, key: str | None = "k") -> None:
        producer = Producer(settings.producer())
        for number, value in enumerate(values):
            place = number % 3 if partition is None else partition
            producer.produce(topic, value, key, place, timestamp=1_000 * (number + 1), headers=[("h", b"x")])
        assert producer.flush(120) == 0

    return produce


@pytest.fixture
def consume(eddyline: Eddyline, settings: KafkaSettings, topic: str) -> Consume:
    def call(*words: str) -> Outcome:
        return eddyline("consume", topic, "--bootstrap-servers", settings.bootstrap_servers, *words)

    return call


def _values(outcome: Outcome) -> list[str]:
    return [line.split("\t")[3] for line in outcome.out.splitlines()]


def test_records_are_shown_with_position_time_key_value_and_headers(consume: Consume, write: Write, topic: str) -> None:
    write("hello", partition=1)
    outcome = consume("--until-end", "--headers")
    assert outcome.code == 0, outcome.err
    assert outcome.out == f"{topic}-1@0\t1970-01-01T00:00:01.000Z\tk\thello\th=x\n"
    assert outcome.err.splitlines() == [f"consumer 1: {topic} 0 1 2", "1 record, no offsets committed"]


def test_records_are_shown_as_the_json_that_produce_reads(consume: Consume, write: Write, topic: str) -> None:
    write('{"price":1.5}', partition=0)
    outcome = consume("--until-end", "--format", "json", "--value-codec", "json")
    assert json.loads(outcome.out) == {
        "topic": topic,
        "partition": 0,
        "offset": 0,
        "timestamp": 1_000,
        "key": "k",
        "value": {"price": 1.5},
        "headers": [["h", "x"]],
    }


def test_bytes_that_the_codec_cannot_decode_are_shown_with_the_reason(consume: Consume, write: Write) -> None:
    write("hello", partition=0)
    assert "hello (not decoded: long: expected 8 bytes, found 5)" in consume("--until-end", "--value-codec", "long").out
    shown = json.loads(consume("--until-end", "--value-codec", "long", "--format", "json").out)
    assert shown["value"] == {"base64": "aGVsbG8=", "error": "long: expected 8 bytes, found 5"}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("beginning", ["1", "2", "3", "4"]),
        ("end", []),
        ("2", ["3", "4"]),
        ("1970-01-01T00:00:02.500", ["3", "4"]),
        ("committed", ["1", "2", "3", "4"]),
    ],
)
def test_reading_starts_where_from_says(consume: Consume, write: Write, place: str, expected: list[str]) -> None:
    write("1", "2", "3", "4", partition=0)
    assert _values(consume("--until-end", "--from", place)) == expected
    assert _values(consume("--until-end", "--from", place, "--group", f"group-{uuid.uuid4()}")) == expected


def test_a_group_continues_at_its_committed_offsets(consume: Consume, write: Write, settings: KafkaSettings, topic: str) -> None:
    write("1", "2", "3", "4", partition=0)
    assert _values(consume("--group", topic, "--max-records", "3")) == ["1", "2", "3"]
    assert group_offsets(settings, topic, [(topic, 0)]) == {(topic, 0): 3}
    assert _values(consume("--group", topic, "--until-end")) == ["4"]
    assert _values(consume("--group", topic, "--until-end", "--from", "beginning")) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("protocol", ["cooperative", "eager"])
def test_the_consumers_of_a_command_share_the_partitions_and_the_others_stand_by(
    consume: Consume, write: Write, settings: KafkaSettings, topic: str, protocol: str
) -> None:
    write(*(str(number) for number in range(300)))
    outcome = consume("--group", topic, "-n", "4", "--until-end", "--protocol", protocol)
    assert outcome.code == 0, outcome.err
    assert set(map(int, _values(outcome))) == set(range(300))
    rebalances = [line for line in outcome.err.splitlines() if line.startswith("consumer 1: ")]
    assert rebalances
    assert all(line.count("consumer ") == 4 and "standing by" in line for line in rebalances)
    assert group_offsets(settings, topic, [(topic, partition) for partition in range(3)]) == {
        (topic, partition): 100 for partition in range(3)
    }
    eventually(lambda: ConsumerGroups(settings).describe(topic).state == "EMPTY")


def test_without_a_group_consumers_share_the_partitions_too(consume: Consume, write: Write, topic: str) -> None:
    write("a", "b", "c", "d")
    outcome = consume("-n", "2", "--until-end")
    assert sorted(_values(outcome)) == ["a", "b", "c", "d"]
    assert f"consumer 1: {topic} 0 2; consumer 2: {topic} 1" in outcome.err.splitlines()


class Consumers:
    """`eddyline consume` in separate processes, whose output is collected in files."""

    def __init__(self, folder: Path, settings: KafkaSettings, topic: str) -> None:
        self._folder = folder
        self._words = ["consume", topic, "--bootstrap-servers", settings.bootstrap_servers, "--group", topic]
        self._session = ["--set", "session.timeout.ms=2000", "--set", "heartbeat.interval.ms=300"]
        self.processes: dict[str, ForkedCommand] = {}

    def start(self, name: str) -> None:
        with (self._folder / f"{name}.out").open("wb") as out, (self._folder / f"{name}.err").open("wb") as err:
            self.processes[name] = ForkedCommand([*self._words, *self._session], stdout=out, stderr=err)

    def out(self, name: str) -> list[str]:
        return [line.split("\t")[3] for line in (self._folder / f"{name}.out").read_text().splitlines()]

    def err(self, name: str) -> str:
        return (self._folder / f"{name}.err").read_text()


@pytest.fixture
def processes(tmp_path: Path, settings: KafkaSettings, topic: str) -> Iterator[Consumers]:
    started = Consumers(tmp_path, settings, topic)
    yield started
    for process in started.processes.values():
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_standby_takes_over_when_the_active_consumer_is_killed(processes: Consumers, write: Write, topic: str) -> None:
    for name in ("first", "second", "third", "standby"):
        processes.start(name)
        eventually(lambda name=name: "consumer 1: " in processes.err(name) or name == "standby")  # type: ignore[misc]
    names = ["first", "second", "third", "standby"]

    def holders() -> dict[str, str]:
        last = {
            name: ([line for line in processes.err(name).splitlines() if line.startswith("consumer 1: ")] or [""])[-1]
            for name in names
        }
        return {name: line.removeprefix(f"consumer 1: {topic} ") for name, line in last.items() if topic in line}

    eventually(lambda: sorted(holders().values()) == ["0", "1", "2"])
    write("before", "before", "before")
    eventually(lambda: sum(len(processes.out(name)) for name in names) == 3)
    standby = next(name for name in names if name not in holders())
    victim = next(name for name, partition in holders().items() if partition == "1")
    processes.processes[victim].kill()
    write("after", partition=1)
    eventually(lambda: "after" in [line for name in names if name != victim for line in processes.out(name)])
    names.remove(victim)
    eventually(lambda: sorted(holders().values()) == ["0", "1", "2"])
    write("later", partition=int(holders()[standby]))
    eventually(lambda: "later" in processes.out(standby))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_on_a_signal_a_consumer_commits_and_leaves_the_group(
    processes: Consumers, write: Write, settings: KafkaSettings, topic: str, number: signal.Signals
) -> None:
    write("a", "b", "c")
    processes.start("only")
    eventually(lambda: len(processes.out("only")) == 3)
    processes.processes["only"].send_signal(number)
    assert processes.processes["only"].wait(120) == 0
    assert processes.err("only").splitlines()[-1] == f"3 records, offsets committed to group '{topic}'"
    progress = ConsumerGroups(settings).describe(topic)
    assert (progress.state, [row.lag for row in progress.partitions]) == ("EMPTY", [0, 0, 0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--from", "nowhere"], "invalid --from 'nowhere'; choose one of: committed, beginning, end, an offset"),
        (["--value-codec", "avro"], "codec 'avro' needs a schema registry; give its URL with --schema-registry"),
        (["--key-codec", "xml"], "invalid --key-codec 'xml'; choose one of: json, avro, json-schema, protobuf, string"),
        (["--set", "group.id=x"], "'group.id' cannot be set"),
    ],
)
def test_an_invalid_option_is_one_line_with_the_valid_choices(consume: Consume, words: list[str], message: str) -> None:
    outcome = consume(*words)
    assert outcome.code in {1, 2}
    assert message in outcome.err.splitlines()[-1]


def test_an_unknown_topic_is_named(eddyline: Eddyline, settings: KafkaSettings) -> None:
    outcome = eddyline("consume", "no-such-topic", "--bootstrap-servers", settings.bootstrap_servers, "--until-end")
    assert outcome.code == 1
    assert "topic 'no-such-topic' is unknown" in outcome.err


def test_a_partition_that_ends_before_the_offset_has_no_records(consume: Consume, write: Write) -> None:
    write("1", "2", "3", "4", "5", partition=0)
    write(*"abcdefghij", partition=1)
    assert _values(consume("--until-end", "--from", "8")) == ["i", "j"]
