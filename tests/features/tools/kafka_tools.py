"""`eddyline produce`, `consume` and `groups` as the scenarios use them, with one topic and one group for each scenario."""

import json
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.kafka.conftest import eventually
from tests.fixtures.commands import Commands, Eddyline, Outcome

_SOON_MISSED = ("--set", "session.timeout.ms=6000", "--set", "heartbeat.interval.ms=1000")


class KafkaTools:
    """The command against one broker; `said` is what the last command said, `ordered` how many orders were written."""

    def __init__(self, eddyline: Eddyline, commands: Commands, servers: str, folder: Path) -> None:
        self.topic = self.group = f"orders-{uuid.uuid4().hex[:12]}"
        self.said = Outcome(0, "", "")
        self.ordered = 0
        self.read_orders: list[str] = []
        self._eddyline = eddyline
        self._commands = commands
        self._servers = servers
        self._file = folder / "lines"

    def make_topic(self, partitions: int) -> None:
        Topics(KafkaSettings({"bootstrap.servers": self._servers})).create(self.topic, partitions)

    def run(self, *words: str | Path) -> Outcome:
        """Runs a command of Kafka's tools to its end."""
        self.said = self._eddyline(*words, "--bootstrap-servers", self._servers)
        return self.said

    def produce(self, lines: Iterable[str], *words: str, topic: str = "") -> Outcome:
        """Writes lines from a file."""
        self._file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return self.run("produce", topic or self.topic, "--file", self._file, *words)

    def read(self, *words: str) -> list[dict[str, Any]]:
        """Reads the topic to its end, as JSON."""
        outcome = self.run("consume", self.topic, "--until-end", "--format", "json", *words)
        assert outcome.code == 0, outcome.err
        return [json.loads(line) for line in outcome.out.splitlines()]

    def start_consumer(self, name: str, *words: str) -> None:
        """Starts a consumer of the group, or with `-n` several, in a process of its own."""
        shared = ("--group", self.group, "--format", "json", "--bootstrap-servers", self._servers, *_SOON_MISSED)
        self._commands.start(name, "consume", self.topic, *shared, *words)

    def kill_consumer(self, name: str) -> None:
        self._commands.kill(name)

    def values_of(self, name: str) -> list[str]:
        """What a consumer has read by now."""
        return [json.loads(line)["value"] for line in self._commands.out(name)]

    def rebalances_of(self, name: str) -> list[set[int]]:
        """The partitions of a consumer after each of the rebalances that it has told, the last one last."""
        return [{int(word) for word in line.split(": ")[1].split() if word.isdigit()} for line in self.news_of(name)]

    def news_of(self, name: str) -> list[str]:
        """The lines that a command has told rebalances in."""
        return [line for line in self._commands.err(name) if line.startswith("consumer 1: ")]

    def wait_until_at_work(self, name: str, partitions: set[int]) -> None:
        eventually(lambda: self.rebalances_of(name)[-1:] == [partitions], 60)

    def is_at_work(self, name: str) -> bool:
        return self._commands.is_running(name)

    def wait_for_offset(self, offset: int) -> None:
        eventually(lambda: [row["offset"] for row in self.progress()] == [str(offset)], 60)

    def lag(self) -> int:
        """How many records the group has not read yet."""
        return sum(int(row["lag"]) for row in self.progress())

    def wait_for_members(self, count: int) -> None:
        """Waits until the group has so many members and is at rest."""
        wanted = f"is stable with {count} members" if count else "is empty with 0 members"
        eventually(lambda: wanted in self.run("groups", "describe", self.group).err, 60)

    def progress(self) -> list[dict[str, str]]:
        """A row a partition: offset, end, lag, consumer and so on."""
        outcome = self.run("groups", "describe", self.group)
        assert outcome.code == 0, outcome.err
        names, *lines = (line.split() for line in outcome.out.splitlines())
        return [dict(zip(names, line, strict=True)) for line in lines]
