"""The files and the command for spark-submit of the guide to clusters, and the topics of its flow."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import Guarantee, KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import read_all, wait_until_settled
from tests.docs.pages import DOCS, blocks

PACKAGE: Final = "takings.tar.gz"
"""The name of the package in the command."""
_BLOCKS: Final = blocks(DOCS / "how-to" / "cluster.md")
_MASTER, _CHECKPOINTS = "yarn", "hdfs:///checkpoints"
_SHOPS: Final = ("north", "south", "east", "west")
_MINUTE_MS: Final = 60_000
_WITNESS: Final = """

import os
import sys
from pathlib import Path

files = [module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
Path({folder!r}, str(os.getpid())).write_text("\\n".join((os.getcwd(), *files)))
"""


def write_files(folder: Path, witnesses: Path) -> None:
    """Write the files of the guide to a folder. Each process that imports the flow writes to `witnesses` where its modules are.

    The name of what it writes is the number of the process; the lines are its working directory and the files of its modules.
    """
    for block in _BLOCKS:
        if "title" in block.attributes:
            (folder / block.attributes["title"]).write_text(block.content)
    with (folder / "flows.py").open("a") as flows:
        flows.write(_WITNESS.format(folder=str(witnesses)))


def modules(witnesses: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield the working directory of each process that has imported the flow, and the files of its modules."""
    for witness in witnesses.iterdir():
        directory, *files = map(Path, witness.read_text().split("\n"))
        yield directory, files


def submit_command(master: str, checkpoint_dir: str) -> list[str]:
    """Return the words of the command, with another master and another place for checkpoints than in the guide."""
    (command,) = (block.content for block in _BLOCKS if block.content.startswith("spark-submit "))
    own = {_MASTER: master, _CHECKPOINTS: checkpoint_dir}
    words = command.replace("\\\n", " ").split()
    assert own.keys() | {f"{PACKAGE}#eddyline_package"} <= set(words)
    return [own.get(word, word) for word in words]


class Shops:
    """The payments and the takings, in topics with this number of partitions."""

    def __init__(self, settings: KafkaSettings, partitions: int) -> None:
        self._settings, self._partitions = settings, partitions
        self.expected: dict[tuple[str, int], list[int]] = defaultdict(list)

    def pay(self, count: int) -> None:
        """Write payments within a few minutes, and note the counts that they make."""
        records = []
        for number in range(count):
            shop, timestamp = _SHOPS[number % len(_SHOPS)], number * 3 * _MINUTE_MS // count
            counts = self.expected[shop, timestamp // _MINUTE_MS * _MINUTE_MS]
            counts.append(len(counts) + 1)
            records.append(SinkRecord("payments", shop.encode(), b'{"amount": 5}', timestamp))
        sink = KafkaEventSink(self._settings, guarantee=Guarantee.AT_LEAST_ONCE)
        sink.create_topic("payments", self._partitions)
        sink.write("given", 0, 0, records)
        sink.close()

    def takings(self) -> dict[tuple[str, int], list[int]]:
        """Return all counts by shop and start of the minute, in order."""
        wait_until_settled(self._settings, "takings")
        log, found = KafkaEventLog(self._settings, timeout_s=120), defaultdict(list)
        for number in range(self._partitions):
            for record in read_all(log, "takings", number):
                key = json.loads(record.key or b"")
                found[key["key"], key["window"]["start"]].append(json.loads(record.value or b""))
        log.close()
        return found
