"""Crashes, repeated batches and fenced producers against a real broker: every batch is written exactly once."""

import gc
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException

from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.sink.partitioning import Partitioning
from eddyline.adapters.kafka.sink.transactional_writer import TransactionalWriter
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import Read, Values, eventually, read_all, sink_records

_ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def sink(settings: KafkaSettings) -> Iterator[KafkaEventSink]:
    sink = KafkaEventSink(settings, timeout_s=120)
    yield sink
    sink.close()


@pytest.fixture
def numbers(settings: KafkaSettings, name: str) -> Iterator[BatchNumbers]:
    numbers = BatchNumbers(settings, name)
    yield numbers
    numbers.close()


_CRASH = """
import os, signal, sys
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink import transactional_writer
from eddyline.adapters.kafka.sink.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.sink.partitioning import Partitioning
from eddyline.application.ports.event_sink import SinkRecord

servers, name, moment = sys.argv[1:]
settings = KafkaSettings({"bootstrap.servers": servers})
writer = transactional_writer.TransactionalWriter(settings, name, 0, BatchNumbers(settings, name), Deadline(30))

def die(*_):
    writer._producer.flush(120)
    os.kill(os.getpid(), signal.SIGKILL)

def die_after(count):
    def call_with_timeout(_action, call, timeout_s):
        call(timeout_s)
        calls.append(call)
        if len(calls) == count:
            die()
    calls = []
    return call_with_timeout

if moment == "after the records":
    writer._numbers.as_offsets = die
else:
    transactional_writer.call_with_timeout = die_after({"before the commit": 1, "after the commit": 2}[moment])
partitioning = Partitioning(lambda _record, _partitions: 0, settings, lambda _topic, _at_least: 1)
writer.write(5, [SinkRecord(name, b"k", b"%d" % number, 1_000) for number in range(1_000)], partitioning, Deadline(30))
"""


def _crash(settings: KafkaSettings, name: str, moment: str) -> None:
    """Kill a process at this moment while it writes batch 5 of slot 0."""
    child = subprocess.run([sys.executable, "-c", _CRASH, settings.bootstrap_servers, name, moment], cwd=_ROOT, check=False)
    assert child.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("moment", "is_committed"), [("after the records", False), ("before the commit", False), ("after the commit", True)]
)
def test_a_batch_whose_writer_was_killed_is_written_once_when_it_is_repeated(
    settings: KafkaSettings, sink: KafkaEventSink, log: KafkaEventLog, values: Values, name: str, moment: str, is_committed: bool
) -> None:
    sink.create_topic(name, 1)
    _crash(settings, name, moment)
    batch = [b"%d" % number for number in range(1_000)]
    visible = values(name) if is_committed else [record.value for record in read_all(log, name)]
    assert visible == (batch if is_committed else [])

    assert sink.write(name, 0, 5, sink_records(name, *batch)) is not is_committed
    assert values(name) == batch
    assert sink.last_batch(name, 0) == 5


@pytest.mark.parametrize("isolation_level", ["read_committed", "read_uncommitted"])
def test_the_batch_number_is_read_only_when_its_transaction_is_complete(
    settings: KafkaSettings, sink: KafkaEventSink, name: str, isolation_level: str
) -> None:
    sink.create_topic(name, 1)
    _crash(settings, name, "before the commit")
    numbers = BatchNumbers(settings.with_values({"isolation.level": isolation_level}), name)
    with pytest.raises(BrokerUnavailableError, match="could not read the last batch of slot 0"):
        numbers.last(0, 1.0)
    sink.write(name, 0, 5, sink_records(name, b"v"))
    assert numbers.last(0, 1.0) == 5
    numbers.close()


def test_a_fenced_producer_writes_nothing(
    settings: KafkaSettings, sink: KafkaEventSink, numbers: BatchNumbers, values: Values, name: str
) -> None:
    sink.create_topic(name, 1)
    partitioning = Partitioning("by-key", settings, lambda _topic, _at_least: 1)
    zombie = TransactionalWriter(settings, name, 0, numbers, Deadline(30))
    assert zombie.write(0, sink_records(name, b"zero"), partitioning, Deadline(30))
    assert sink.write(name, 0, 1, sink_records(name, b"one"))
    with pytest.raises(KafkaException, match="FENCED"):
        zombie.write(1, sink_records(name, b"one"), partitioning, Deadline(30))
    zombie.close()
    assert values(name) == [b"zero", b"one"]
    assert sink.write(name, 0, 2, sink_records(name, b"two"))
    assert values(name) == [b"zero", b"one", b"two"]


def test_processes_that_take_turns_with_a_slot_do_not_fence_each_other(
    settings: KafkaSettings, sink: KafkaEventSink, values: Values, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    sink.create_topic(name, 1)
    assert sink.write(name, 0, 0, sink_records(name, b"0"))
    child = os.fork()
    if child == 0:
        other = KafkaEventSink(settings, timeout_s=120)
        os._exit(0 if other.write(name, 0, 1, sink_records(name, b"1")) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sink.write(name, 0, 2, sink_records(name, b"2"))
    assert values(name) == [b"0", b"1", b"2"]
    assert "FENCED" not in caplog.text


def test_a_fenced_sink_takes_the_slot_over_again_and_finds_the_batch_written(
    settings: KafkaSettings, sink: KafkaEventSink, values: Values, name: str
) -> None:
    other = KafkaEventSink(settings.with_values({"client.id": "other-worker"}))
    sink.create_topic(name, 1)
    assert sink.write(name, 0, 0, sink_records(name, b"0"))
    assert other.write(name, 0, 1, sink_records(name, b"1"))
    assert not sink.write(name, 0, 1, sink_records(name, b"1"))
    assert sink.write(name, 0, 2, sink_records(name, b"2"))
    assert other.write(name, 0, 3, sink_records(name, b"3"))
    assert not other.write(name, 0, 2, sink_records(name, b"2"))
    assert values(name) == [b"0", b"1", b"2", b"3"]
    assert (sink.take_retries(), sink.take_retries(), other.take_retries()) == ({"fenced": 1}, {}, {})
    other.close()


def test_a_batch_is_invisible_until_it_is_complete(
    settings: KafkaSettings, sink: KafkaEventSink, numbers: BatchNumbers, log: KafkaEventLog, values: Values, name: str
) -> None:
    sink.create_topic(name, 1)
    writer = TransactionalWriter(settings, name, 0, numbers, Deadline(30))
    uncommitted = KafkaEventLog({"bootstrap.servers": settings.bootstrap_servers, "isolation.level": "read_uncommitted"})
    visible: list[list[bytes | None]] = []

    def read_in_the_middle(record: SinkRecord, _partitions: int) -> int:
        if record.value == b"1500":
            eventually(lambda: uncommitted.end_offset(name, 0) > 1_000)
            visible.append([record.value for record in read_all(log, name)])
        return 0

    partitioning = Partitioning(read_in_the_middle, settings, lambda _topic, _at_least: 1)
    writer.write(0, sink_records(name, *(b"%d" % number for number in range(2_000))), partitioning, Deadline(30))
    assert visible == [[]]
    assert len(values(name)) == 2_000


_BATCHES = 40
_WORKER = """
import json, sys
from pathlib import Path
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.application.ports.event_sink import SinkRecord

servers, name, checkpoint, batches = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
sink = KafkaEventSink({"bootstrap.servers": servers})
start = json.loads(checkpoint.read_text()) if checkpoint.exists() else 0
print("ready", flush=True)
for batch in range(start, batches):
    for slot in range(2):
        sink.write(name, slot, batch, [SinkRecord(name, b"k", b"%d-%d" % (batch, n), 1, (), slot) for n in range(500)])
    scratch = checkpoint.with_suffix(".new")
    scratch.write_text(json.dumps(batch + 1))
    scratch.rename(checkpoint)
"""


@pytest.mark.slow
def test_a_writer_killed_at_random_moments_writes_every_batch_once(
    settings: KafkaSettings, topics: Topics, read: Read, name: str, tmp_path: Path
) -> None:
    topics.create(name, 2)
    checkpoint = tmp_path / "checkpoint"
    chance = random.Random(7)
    kills = 0
    while True:
        command = [sys.executable, "-c", _WORKER, settings.bootstrap_servers, name, str(checkpoint), str(_BATCHES)]
        child = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        if kills == 6:
            assert child.wait(120) == 0
            break
        time.sleep(chance.uniform(0.1, 1.2))
        child.kill()
        child.wait()
        kills += 1
    assert json.loads(checkpoint.read_text()) == _BATCHES
    for slot in range(2):
        assert [record.value for record in read(name, slot)] == [
            b"%d-%d" % (batch, number) for batch in range(_BATCHES) for number in range(500)
        ]


def test_a_forked_process_creates_its_own_clients(
    settings: KafkaSettings, sink: KafkaEventSink, values: Values, name: str
) -> None:
    sink.create_topic(name, 1)
    sink.write(name, 0, 0, sink_records(name, b"parent"))
    assert values(name) == [b"parent"]
    gc.disable()  # the child must not destroy the clients of other tests, whose threads it does not have
    child = os.fork()
    if child:
        gc.enable()
    else:
        same = KafkaEventSink(settings, timeout_s=120)
        wrote = same.write(name, 0, 1, sink_records(name, b"child")) and not same.write(name, 0, 1, sink_records(name, b"child"))
        os._exit(0 if wrote and values(name) == [b"parent", b"child"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sink.write(name, 0, 2, sink_records(name, b"parent again"))
    assert values(name) == [b"parent", b"child", b"parent again"]
