"""Writers that are killed at random times and restarted write every batch once, and readers never see an incomplete batch."""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.runtime.plan.partitioner import partition_for
from tests.adapters.files.batch_writer import TOPICS, records
from tests.ports.environments import values

_ROOT = Path(__file__).parents[3]
_SLOTS, _BATCHES, _BATCH_SIZE, _PARTITIONS = 2, 12, 6_000, 2
_DURING_APPEND = 0.8
"""The share of the kills that happen while a batch is being appended."""


def _start(root: Path, slot: int) -> subprocess.Popen[str]:
    arguments = [str(root), str(slot), str(_BATCHES), str(_BATCH_SIZE)]
    command = [sys.executable, "-m", "tests.adapters.files.batch_writer", *arguments]
    return subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True)


def _wait_for_an_append(root: Path, writers: list[subprocess.Popen[str]]) -> None:
    """Wait until a batch is being appended to a partition file, or all writers have finished."""
    while any(writer.poll() is None for writer in writers):
        for journal in root.glob("*/.eddyline/*.journal"):
            if any(b'"pending"' in line for line in journal.read_bytes().splitlines()[-1:]):
                return


def _expected() -> Counter[tuple[str, int, int, int]]:
    """Return the expected number of records by topic, partition, slot and batch."""
    return Counter(
        (record.topic, partition_for(record.key or b"", _PARTITIONS), slot, batch)
        for slot in range(_SLOTS)
        for batch in range(_BATCHES)
        for record in records(slot, batch, _BATCH_SIZE)
    )


def _found(root: Path) -> list[tuple[str, int, int, int, int]]:
    log = FileEventLog(root)
    found = []
    for topic in TOPICS:
        for partition in range(_PARTITIONS):
            for value in values(log, topic, partition):
                slot, batch, number = json.loads(value or b"")["at"].split(".")
                found.append((topic, partition, int(slot), int(batch), int(number)))
    return found


@pytest.fixture
def seed() -> int:
    """A seed that differs from run to run; pytest shows it when the test fails."""
    chosen = random.randrange(10**6)
    print(f"seed {chosen}")  # noqa: T201 - captured by pytest
    return chosen


@pytest.mark.extensive
@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_every_batch_is_written_once_and_completely_after_many_kills(tmp_path: Path, seed: int, kills: int) -> None:
    chance = random.Random(seed)
    for topic in TOPICS:
        FileEventSink(tmp_path).create_topic(topic, _PARTITIONS)
    expected = _expected()
    interrupted = 0
    for _ in range(kills):
        writers = [_start(tmp_path, slot) for slot in range(_SLOTS)]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        if chance.random() < _DURING_APPEND:
            _wait_for_an_append(tmp_path, writers)
        else:
            time.sleep(chance.random() * 0.05)
        for writer in writers:
            interrupted += writer.poll() is None
            writer.kill()
        for writer in writers:
            writer.communicate()
        seen = Counter(record[:4] for record in _found(tmp_path))
        assert all(count == expected[batch] for batch, count in seen.items())
    for slot in range(_SLOTS):
        last = _start(tmp_path, slot)
        last.communicate()
        assert last.returncode == 0
    found = _found(tmp_path)
    assert Counter(record[:4] for record in found) == expected
    assert len(set(found)) == len(found) == _SLOTS * _BATCHES * _BATCH_SIZE
    assert interrupted > 0
