"""`eddyline produce`, `consume` and `groups` on a real broker, with one topic and one consumer group for each scenario."""

import json
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.kafka.conftest import eventually
from tests.fixtures.commands import Commands, Eddyline, Outcome

_SHORT_SESSION = ("--set", "session.timeout.ms=6000", "--set", "heartbeat.interval.ms=1000")


class KafkaCommands:
    """The commands against one broker.

    `outcome` is that of the last command, `produced` the number of orders that were produced, `read_orders` those that were read.
    """

    def __init__(self, eddyline: Eddyline, commands: Commands, bootstrap_servers: str, folder: Path) -> None:
        self.topic = self.group = f"orders-{uuid.uuid4().hex[:12]}"
        self.outcome = Outcome(0, "", "")
        self.produced = 0
        self.read_orders: list[str] = []
        self._eddyline = eddyline
        self._commands = commands
        self._bootstrap_servers = bootstrap_servers
        self._file = folder / "lines"

    def create_topic(self, partitions: int) -> None:
        Topics(KafkaSettings({"bootstrap.servers": self._bootstrap_servers})).create(self.topic, partitions)

    def run(self, *words: str | Path) -> Outcome:
        """Run a command to its end."""
        self.outcome = self._eddyline(*words, "--bootstrap-servers", self._bootstrap_servers)
        return self.outcome

    def produce(self, lines: Iterable[str], *options: str, topic: str = "") -> Outcome:
        """Produce the lines of a file."""
        self._file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return self.run("produce", topic or self.topic, "--file", self._file, *options)

    def consume(self, *options: str) -> list[dict[str, Any]]:
        """Return the records of the topic, to its end, as JSON."""
        outcome = self.run("consume", self.topic, "--until-end", "--format", "json", *options)
        assert outcome.code == 0, outcome.err
        return [json.loads(line) for line in outcome.out.splitlines()]

    def start_consumer(self, name: str, *options: str) -> None:
        """Start a consumer of the group in a process of its own, or several of them with `-n`."""
        shared = ("--group", self.group, "--format", "json", "--bootstrap-servers", self._bootstrap_servers, *_SHORT_SESSION)
        self._commands.start(name, "consume", self.topic, *shared, *options)

    def kill_consumer(self, name: str) -> None:
        self._commands.kill(name)

    def values_of(self, name: str) -> list[str]:
        """Return the values that a consumer has read so far."""
        return [json.loads(line)["value"] for line in self._commands.out(name)]

    def rebalances_of(self, name: str) -> list[set[int]]:
        """Return the partitions that a consumer owned after each rebalance."""
        return [{int(word) for word in line.split(": ")[1].split() if word.isdigit()} for line in self.rebalance_lines_of(name)]

    def rebalance_lines_of(self, name: str) -> list[str]:
        """Return the lines in which a command has reported rebalances."""
        return [line for line in self._commands.err(name) if line.startswith("consumer 1: ")]

    def wait_until_owned(self, name: str, partitions: set[int]) -> None:
        """Wait until a consumer owns these partitions."""
        eventually(lambda: self.rebalances_of(name)[-1:] == [partitions])

    def is_running(self, name: str) -> bool:
        return self._commands.is_running(name)

    def wait_for_offset(self, offset: int) -> None:
        eventually(lambda: self.offsets() == [str(offset)])

    def offsets(self) -> list[str]:
        """Return the offset of the group in each partition."""
        return [row["offset"] for row in self.partitions()]

    def lag(self) -> int:
        """Return the number of records that the group has not read yet."""
        return sum(int(row["lag"]) for row in self.partitions())

    def wait_for_members(self, count: int) -> None:
        """Wait until the group has this number of members and no rebalance is in progress."""
        expected = f"is stable with {count} members" if count else "is empty with 0 members"
        eventually(lambda: expected in self.run("groups", "describe", self.group).err)

    def partitions(self) -> list[dict[str, str]]:
        """Return a row for each partition of the group: offset, end, lag, consumer and so on."""
        outcome = self.run("groups", "describe", self.group)
        assert outcome.code == 0, outcome.err
        header, *lines = (line.split() for line in outcome.out.splitlines())
        return [dict(zip(header, line, strict=True)) for line in lines]
