"""Kills drivers at random moments, which follow what the driver does, so that every kind of moment occurs."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from confluent_kafka import Consumer, KafkaException, TopicPartition

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.spark.kills.kafka_flows import PARTITIONS, VARIANTS, Variant, checkpoint

ROOT: Final = Path(__file__).parents[4]
_MAX_DELAY_S: Final = 0.4
_POLL_S: Final = 0.05
_REQUEST_TIMEOUT_S: Final = 5.0


class DriverFailedError(RuntimeError):
    """A driver exited, or made no progress for too long; the message has the end of its output."""


@contextmanager
def driver(settings: KafkaSettings, folder: Path, mode: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a driver in a process group of its own, with `driver.log` for its output; kill it at the end of the block."""
    folder.mkdir(parents=True, exist_ok=True)
    with _log(folder).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.adapters.spark.kills.kafka_driver", settings.bootstrap_servers, str(folder), mode],
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
    """Run a driver until everything is processed. Raises DriverFailedError."""
    with driver(settings, folder, "available-now") as process:
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise DriverFailedError(f"the driver was not done after {timeout_s:.0f} s; {_output(folder)}") from None
    if code != 0:
        raise DriverFailedError(f"the driver exited with {code}; {_output(folder)}")


class Killer:
    """Starts drivers and kills each after a random number of events of a random kind, and a random delay.

    The events are batches planned, batches committed and records written, of one of the variants.
    """

    def __init__(self, settings: KafkaSettings, folder: Path, *, seed: int, timeout_s: float) -> None:
        self._settings, self._folder, self._timeout_s = settings, folder, timeout_s
        self._random = random.Random(seed)
        self._counters: Mapping[str, Callable[[Variant], int]] = {
            "batches planned": self._batches_planned,
            "batches committed": self._batches_committed,
            "records written": self._records_written,
        }
        self._committed = {variant.topic: -1 for variant in VARIANTS}
        common = {"group.id": "kills", "enable.auto.commit": False}
        self._consumer = Consumer({**settings.consumer(), **common, "isolation.level": "read_uncommitted"})
        for variant in VARIANTS:
            Topics(settings).create(variant.topic, PARTITIONS)

    def kill_one(self, meanwhile: Callable[[], None] | None = None) -> str:
        """Run a driver, kill it with SIGKILL, and return a description of the moment. Raises DriverFailedError.

        `meanwhile` is called after the first event and before the kill.
        """
        variant, event = self._random.choice(VARIANTS), self._random.choice(list(self._counters))
        events, delay_s = self._random.randrange(1, 4), self._random.uniform(0, _MAX_DELAY_S)
        count = self._counters[event]
        with driver(self._settings, self._folder, "continuous") as process:
            seen = count(variant)
            for number in range(events + (meanwhile is not None)):
                self._until(lambda least=seen: count(variant) > least, process)  # type: ignore[misc]
                if number == 0 and meanwhile is not None:
                    meanwhile()
                seen = count(variant)
            time.sleep(delay_s)
            if process.poll() is not None:
                raise DriverFailedError(f"the driver exited with {process.returncode}; {_output(self._folder)}")
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        return f"{delay_s:.2f} s after {events} x {event} of {variant.topic}"

    def await_batches(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the driver has committed a batch of each variant since the last call. Raises DriverFailedError."""
        for variant in VARIANTS:
            self._until(partial(self._has_committed_since, variant), process)
            self._committed[variant.topic] = self._batches_committed(variant)

    def close(self) -> None:
        """Close the consumer."""
        self._consumer.close()

    def _until(self, condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + self._timeout_s
        while not condition():
            if process.poll() is not None:
                raise DriverFailedError(f"the driver exited with {process.returncode}; {_output(self._folder)}")
            if time.monotonic() > deadline:
                raise DriverFailedError(f"the driver made no progress for {self._timeout_s:.0f} s; {_output(self._folder)}")
            time.sleep(_POLL_S)

    def _has_committed_since(self, variant: Variant) -> bool:
        return self._batches_committed(variant) > self._committed[variant.topic]

    def _batches_planned(self, variant: Variant) -> int:
        return _last_batch(checkpoint(self._folder, variant) / "spark" / "offsets")

    def _batches_committed(self, variant: Variant) -> int:
        return _last_batch(checkpoint(self._folder, variant) / "spark" / "commits")

    def _records_written(self, variant: Variant) -> int:
        """Return the sum of the topic's end offsets, records of open transactions included."""
        partitions = [TopicPartition(variant.topic, number) for number in range(PARTITIONS)]
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                return sum(self._consumer.get_watermark_offsets(one, timeout=_REQUEST_TIMEOUT_S)[1] for one in partitions)
            except KafkaException:  # a broker that has just been restarted is not the leader of its partitions yet
                if time.monotonic() > deadline:
                    raise
                time.sleep(_REQUEST_TIMEOUT_S / 10)


def _last_batch(folder: Path) -> int:
    """Return the highest batch number in a log of a checkpoint, -1 if there is none."""
    return max((int(path.name) for path in folder.glob("[0-9]*") if path.name.isdigit()), default=-1)


def _log(folder: Path) -> Path:
    return folder / "driver.log"


def _output(folder: Path) -> str:
    return f"the end of {_log(folder)}:\n{_log(folder).read_text(errors='replace')[-3_000:]}"
