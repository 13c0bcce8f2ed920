"""Kills drivers at moments that are drawn by lot but tied to what the driver is doing, so that every kind of moment is met."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from confluent_kafka import Consumer, KafkaException, TopicPartition

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.spark.kafka_flows import PARTITIONS, WAYS, Way, checkpoint

ROOT: Final = Path(__file__).parents[3]
_MOST_DELAY_S: Final = 0.4
_POLL_S: Final = 0.01
_ANSWER_S: Final = 5.0


class DriverFailedError(RuntimeError):
    """A driver ended by itself, or did nothing for too long; the message holds the end of what it said."""


@contextmanager
def driver(settings: KafkaSettings, folder: Path, mode: str) -> Iterator[subprocess.Popen[bytes]]:
    """A driver in a process group of its own; what it says goes to `driver.log`. Killed when the block is left."""
    folder.mkdir(parents=True, exist_ok=True)
    with _log(folder).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.adapters.spark.kafka_driver", settings.bootstrap_servers, str(folder), mode],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def finish(settings: KafkaSettings, folder: Path, timeout_s: float) -> None:
    """Lets a driver do all that is left. Raises DriverFailedError."""
    with driver(settings, folder, "now") as process:
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise DriverFailedError(f"not done after {timeout_s:.0f} s; {_said(folder)}") from None
    if code != 0:
        raise DriverFailedError(f"ended with {code}; {_said(folder)}")


class Killer:
    """Starts drivers and kills each at a moment of its own: some batches on, at the next thing of a kind, and a little later."""

    def __init__(self, settings: KafkaSettings, folder: Path, *, seed: int, timeout_s: float) -> None:
        self._settings, self._folder, self._timeout_s = settings, folder, timeout_s
        self._chance = random.Random(seed)
        self._signs: Mapping[str, Callable[[Way], int]] = {
            "batches planned": self._planned,
            "batches committed": self._committed,
            "records written": self._written,
        }
        common = {"group.id": "kills", "enable.auto.commit": False}
        self._consumer = Consumer({**settings.consumer(), **common, "isolation.level": "read_uncommitted"})
        for way in WAYS:
            Topics(settings).create(way.topic, PARTITIONS)

    def kill_one(self, meanwhile: Callable[[], None] | None = None) -> str:
        """Runs a driver and kills it with signal 9; tells at which moment. Raises DriverFailedError.

        `meanwhile` happens between the first thing that the driver does and the moment.
        """
        way, sign = self._chance.choice(WAYS), self._chance.choice(list(self._signs))
        steps, delay_s = self._chance.randrange(1, 4), self._chance.uniform(0, _MOST_DELAY_S)
        count = self._signs[sign]
        with driver(self._settings, self._folder, "on") as process:
            seen = count(way)
            for step in range(steps + (meanwhile is not None)):
                self._until(lambda least=seen: count(way) > least, process)  # type: ignore[misc]
                if step == 0 and meanwhile is not None:
                    meanwhile()
                seen = count(way)
            time.sleep(delay_s)
            if process.poll() is not None:
                raise DriverFailedError(f"ended by itself with {process.returncode}; {_said(self._folder)}")
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        return f"{delay_s:.2f} s after {steps} x {sign} of {way.topic}"

    def close(self) -> None:
        """Leaves the brokers."""
        self._consumer.close()

    def _until(self, holds: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + self._timeout_s
        while not holds():
            if process.poll() is not None:
                raise DriverFailedError(f"ended by itself with {process.returncode}; {_said(self._folder)}")
            if time.monotonic() > deadline:
                raise DriverFailedError(f"nothing happened for {self._timeout_s:.0f} s; {_said(self._folder)}")
            time.sleep(_POLL_S)

    def _planned(self, way: Way) -> int:
        return _latest(checkpoint(self._folder, way) / "spark" / "offsets")

    def _committed(self, way: Way) -> int:
        return _latest(checkpoint(self._folder, way) / "spark" / "commits")

    def _written(self, way: Way) -> int:
        """The ends of the topic's partitions, what transactions have not committed included."""
        places = [TopicPartition(way.topic, number) for number in range(PARTITIONS)]
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                return sum(self._consumer.get_watermark_offsets(place, timeout=_ANSWER_S)[1] for place in places)
            except KafkaException:  # brokers that have just come back have no leaders yet
                if time.monotonic() > deadline:
                    raise
                time.sleep(_ANSWER_S / 10)


def _latest(folder: Path) -> int:
    """The highest number among the files of a checkpoint's log, -1 before the first."""
    return max((int(path.name) for path in folder.glob("[0-9]*") if path.name.isdigit()), default=-1)


def _log(folder: Path) -> Path:
    return folder / "driver.log"


def _said(folder: Path) -> str:
    return f"the end of {_log(folder)}:\n{_log(folder).read_text(errors='replace')[-3_000:]}"
