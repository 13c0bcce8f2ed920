"""Crashes, repeats and zombies against the real broker: each batch is in once, whatever happens."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException

from eddyline.adapters.kafka.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.slot_writer import Patience, SlotWriter
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import Read, Values, eventually, read_all, wait_until_settled
from tests.fixtures.services import QUICK_RETURN

_ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def sink(settings: KafkaSettings) -> Iterator[KafkaEventSink]:
    sink = KafkaEventSink(settings, timeout_s=60)
    yield sink
    sink.close()


@pytest.fixture
def numbers(settings: KafkaSettings, name: str) -> Iterator[BatchNumbers]:
    numbers = BatchNumbers(settings, name)
    yield numbers
    numbers.close()


def _records(topic: str, *values: bytes) -> list[SinkRecord]:
    return [SinkRecord(topic, b"k", value, 1_000) for value in values]


def _to_the_only_partition(_record: SinkRecord) -> int:
    return 0


_CRASH = """
import os, signal, sys
from eddyline.adapters.kafka import slot_writer
from eddyline.adapters.kafka.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.slot_writer import Patience, SlotWriter
from eddyline.application.ports.event_sink import SinkRecord

servers, name, moment = sys.argv[1:]
settings = KafkaSettings({"bootstrap.servers": servers})
writer = SlotWriter(settings, name, 0, BatchNumbers(settings, name), Patience(30))

def die(*_):
    writer._producer.flush(30)
    os.kill(os.getpid(), signal.SIGKILL)

def die_after(step):
    def wrapped(_doing, call, timeout_s):
        call(timeout_s)
        steps.append(call)
        if len(steps) == step:
            die()
    steps = []
    return wrapped

if moment == "after the records":
    writer._numbers.place = die
else:
    slot_writer.bounded = die_after({"before the commit": 1, "after the commit": 2}[moment])
writer.write(5, [SinkRecord(name, b"k", b"%d" % number, 1_000) for number in range(1_000)], lambda _: 0, Patience(30))
"""


@pytest.mark.parametrize(
    ("moment", "was_in"), [("after the records", False), ("before the commit", False), ("after the commit", True)]
)
def test_a_batch_whose_writer_was_killed_is_in_once_after_its_repeat(
    settings: KafkaSettings, sink: KafkaEventSink, log: KafkaEventLog, values: Values, name: str, moment: str, was_in: bool
) -> None:
    sink.create_topic(name, 1)
    child = subprocess.run([sys.executable, "-c", _CRASH, settings.bootstrap_servers, name, moment], cwd=_ROOT, check=False)
    assert child.returncode == -signal.SIGKILL
    whole = [b"%d" % number for number in range(1_000)]
    seen = values(name) if was_in else [record.value for record in read_all(log, name)]
    assert seen == (whole if was_in else [])

    assert sink.write(name, 0, 5, _records(name, *whole)) is not was_in
    assert values(name) == whole
    assert sink.last_batch(name, 0) == 5


def test_the_number_is_not_told_while_a_transaction_hangs(
    settings: KafkaSettings, sink: KafkaEventSink, numbers: BatchNumbers, name: str
) -> None:
    sink.create_topic(name, 1)
    child = subprocess.run(
        [sys.executable, "-c", _CRASH, settings.bootstrap_servers, name, "before the commit"], cwd=_ROOT, check=False
    )
    assert child.returncode == -signal.SIGKILL
    with pytest.raises(BrokerUnavailableError, match="could not read the last batch of slot 0"):
        numbers.last(0, 1.0)
    sink.write(name, 0, 5, _records(name, b"v"))
    assert numbers.last(0, 1.0) == 5


def test_a_zombie_that_wakes_up_after_its_batch_was_repeated_writes_nothing(
    settings: KafkaSettings, sink: KafkaEventSink, numbers: BatchNumbers, values: Values, name: str
) -> None:
    sink.create_topic(name, 1)
    zombie = SlotWriter(settings, name, 0, numbers, Patience(30))
    assert zombie.write(0, _records(name, b"zero"), _to_the_only_partition, Patience(30))
    assert sink.write(name, 0, 1, _records(name, b"one"))
    with pytest.raises(KafkaException, match="FENCED"):
        zombie.write(1, _records(name, b"one"), _to_the_only_partition, Patience(30))
    zombie.close()
    assert values(name) == [b"zero", b"one"]
    assert sink.write(name, 0, 2, _records(name, b"two"))
    assert values(name) == [b"zero", b"one", b"two"]


def test_a_worker_whose_slot_was_taken_over_finds_the_batch_already_in(
    settings: KafkaSettings, sink: KafkaEventSink, values: Values, name: str
) -> None:
    other = KafkaEventSink(KafkaSettings({"bootstrap.servers": settings.bootstrap_servers, "client.id": "other-worker"}))
    sink.create_topic(name, 1)
    assert sink.write(name, 0, 0, _records(name, b"0"))
    assert other.write(name, 0, 1, _records(name, b"1"))
    assert not sink.write(name, 0, 1, _records(name, b"1"))
    assert sink.write(name, 0, 2, _records(name, b"2"))
    assert other.write(name, 0, 3, _records(name, b"3"))
    assert not other.write(name, 0, 2, _records(name, b"2"))
    assert values(name) == [b"0", b"1", b"2", b"3"]
    other.close()


def test_a_batch_is_invisible_until_it_is_whole(
    settings: KafkaSettings, sink: KafkaEventSink, numbers: BatchNumbers, log: KafkaEventLog, values: Values, name: str
) -> None:
    sink.create_topic(name, 1)
    writer = SlotWriter(settings, name, 0, numbers, Patience(30))
    everything = KafkaEventLog({"bootstrap.servers": settings.bootstrap_servers, "isolation.level": "read_uncommitted"})
    seen: list[list[bytes | None]] = []

    def look_in_the_middle(record: SinkRecord) -> int:
        if record.value == b"1500":
            eventually(lambda: everything.end_offset(name, 0) > 1_000)
            seen.append([record.value for record in read_all(log, name)])
        return 0

    writer.write(0, _records(name, *(b"%d" % number for number in range(2_000))), look_in_the_middle, Patience(30))
    assert seen == [[]]
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


def test_a_writer_killed_at_random_moments_writes_every_batch_once(
    settings: KafkaSettings, topics: Topics, read: Read, name: str, tmp_path: Path
) -> None:
    topics.create(name, 2)
    checkpoint = tmp_path / "checkpoint"
    chance = random.Random(7)
    kills = 0
    while True:
        words = [sys.executable, "-c", _WORKER, settings.bootstrap_servers, name, str(checkpoint), str(_BATCHES)]
        child = subprocess.Popen(words, cwd=_ROOT, stdout=subprocess.PIPE)
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


def test_writing_goes_on_over_a_restart_of_the_broker(own_broker: Callable[..., Broker], name: str) -> None:
    """The broker is stopped in order.

    One that is killed, alone in its cluster, between the commit of a transaction and its marks leaves them out when it comes
    back (Kafka 4.3.0: "partitions are likely deleted already"), and the transaction hangs for ever, whatever its writer does.
    """
    broker = own_broker(settings=QUICK_RETURN)
    broker.start()
    sink = KafkaEventSink({"bootstrap.servers": broker.bootstrap_servers}, timeout_s=120)
    log = KafkaEventLog({"bootstrap.servers": broker.bootstrap_servers})
    sink.create_topic(name, 1)
    enough = threading.Event()

    def restart() -> None:
        enough.wait(60)
        broker.stop()
        broker.start()

    restarting = threading.Thread(target=restart)
    restarting.start()
    for batch in range(60):
        assert sink.write(name, 0, batch, _records(name, *(b"%d-%d" % (batch, number) for number in range(200))))
        if batch == 20:
            enough.set()
    restarting.join()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    wait_until_settled(settings, name)
    assert [record.value for record in read_all(log, name)] == [
        b"%d-%d" % (batch, number) for batch in range(60) for number in range(200)
    ]
    log.close()
    sink.close()


def test_a_forked_process_uses_clients_of_its_own(
    settings: KafkaSettings, sink: KafkaEventSink, values: Values, name: str
) -> None:
    sink.create_topic(name, 1)
    sink.write(name, 0, 0, _records(name, b"parent"))
    assert values(name) == [b"parent"]
    child = os.fork()
    if child == 0:
        alike = KafkaEventSink(settings, timeout_s=30)
        wrote = alike.write(name, 0, 1, _records(name, b"child")) and not alike.write(name, 0, 1, _records(name, b"child"))
        os._exit(0 if wrote and values(name) == [b"parent", b"child"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sink.write(name, 0, 2, _records(name, b"parent again"))
    assert values(name) == [b"parent", b"child", b"parent again"]
