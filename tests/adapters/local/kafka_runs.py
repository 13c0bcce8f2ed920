"""Processes of the local engine on Kafka that are killed, and what they have written."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from confluent_kafka import Producer

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from tests.fixtures.commands import Commands

PARTITIONS = 4
KEYS = tuple(f"k{number}" for number in range(20))

FLOWS = """
from eddyline.application.flows.flow import Flow


def counted(builder):
    rows = builder.stream("{name}-in", key=str, value=str).group_by_key()
    rows.count(store="counts").to_stream().to("{name}-out")


def regrouped(builder):
    rows = builder.stream("{name}-in", key=str, value=str).group_by(lambda key, _value: "by-" + key, key=str, name="again")
    rows.count(store="counts").to_stream().to("{name}-out")


FLOWS = (Flow("counted", "Counts by key.", counted), Flow("regrouped", "Counts by another key.", regrouped))
"""


class KafkaRuns:
    """The topics `<name>-in` and `<name>-out`, and processes of a flow between them.

    Args:
        settings: The broker.
        commands: Starts processes.
        folder: Where flows and settings are written.
        name: A name that no other test uses; it is the application id.
        flow: The flow.
        options: More options of the command.
    """

    def __init__(
        self, settings: KafkaSettings, commands: Commands, folder: Path, name: str, flow: str, options: Sequence[str] = ()
    ) -> None:
        self._settings, self._commands, self._name = settings, commands, name
        (folder / f"{name.replace('-', '_')}.py").write_text(FLOWS.replace("{name}", name))
        self._words: tuple[str | Path, ...] = (
            *("run", flow, "--flows", folder / f"{name.replace('-', '_')}.py", "--engine", "local"),
            *("--application-id", name, "--create-topics", "--data-dir", folder / "data"),
            *("--bootstrap-servers", settings.bootstrap_servers, "--emit", "every-update", *options),
        )
        self._producer = Producer({**settings.producer(), "linger.ms": 0, "partitioner": "murmur2_random"})
        self.sent = dict.fromkeys(KEYS, 0)
        self._log = KafkaEventLog(settings)
        self._positions: dict[int, int] = {}
        self._found: dict[str, list[int]] = {}

    def start(self, process: str) -> None:
        """Start a process."""
        self._commands.start(process, *self._words)

    def start_standby(self, process: str) -> None:
        """Start a process while another one runs all tasks, and wait until it stands by."""
        self.start(process)
        self.wait_until(lambda: any("stands by" in line for line in self._commands.err(process)))

    def replace_processes(self, kills: int, rounds: Callable[[], int]) -> None:
        """Run the processes `0` to `kills`: each is started beside the one before it, which is killed a while later.

        Args:
            kills: How often.
            rounds: Returns the number of rounds of records from a start to the kill, 20 ms apart.
        """
        self.start("0")
        self.send(1)
        self.wait_for_results()
        for kill in range(kills):
            self.start(str(kill + 1))
            for _ in range(rounds()):
                self.send(1)
                time.sleep(0.02)
            self._commands.kill(str(kill))
            self.send(1)

    def takeover_s(self, active: str, standby: str) -> float:
        """Kill the active process when another stands by; return the time until results are complete again, in seconds."""
        self.start(active)
        self.send(5)
        self.wait_for_results()
        self.start_standby(standby)
        self.send(5)
        self.wait_for_results()
        self._commands.kill(active)
        self.send(1)
        return self.wait_for_results()

    def send(self, rounds: int) -> None:
        """Send a record of each key, several times."""
        for _ in range(rounds):
            for key in KEYS:
                self._producer.produce(f"{self._name}-in", b"v", key)
                self.sent[key] += 1
        assert self._producer.flush(120) == 0

    def counts(self) -> dict[str, list[int]]:
        """Return the committed results by key, in order."""
        log, topic = self._log, f"{self._name}-out"
        for number in range(log.partitions(topic)):
            start, end = self._positions.get(number, 0), log.end_offset(topic, number)
            for batch in log.read(topic, number, start, end):
                for record in batch:
                    key = (record.key or b"").decode().removeprefix("by-")
                    self._found.setdefault(key, []).append(int(record.value or b"0"))
            self._positions[number] = end
        return self._found

    def wait_for_results(self, timeout_s: float = 240.0) -> float:
        """Wait until the results have all records that were sent; return how long it took, in seconds."""
        began = time.monotonic()
        while True:
            found = self.counts()
            if all(found.get(key, [0])[-1] >= number for key, number in self.sent.items()):
                return time.monotonic() - began
            assert time.monotonic() < began + timeout_s, (found, self.sent)
            time.sleep(0.1)

    def is_exact(self) -> bool:
        """Return whether each record has led to one result, in order."""
        return self.counts() == {key: list(range(1, number + 1)) for key, number in self.sent.items()}

    def wait_until(self, reached: Callable[[], bool], timeout_s: float = 240.0) -> None:
        """Wait until something is true."""
        deadline = time.monotonic() + timeout_s
        while not reached():
            assert time.monotonic() < deadline
            time.sleep(0.1)
