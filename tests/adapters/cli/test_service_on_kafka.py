"""Two processes of one service that share the partitions of its topics on a broker."""

import socket
import time
import uuid
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from eddyline import Producer
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from tests.fixtures.commands import Commands

_TIMEOUT_S: Final = 240.0
_KEYS: Final = tuple(f"shop-{number}" for number in range(20))
_PARTITIONS: Final = 4

_FLOWS = """
from eddyline import Flow, Service, TopologyBuilder

def bills(builder: TopologyBuilder) -> None:
    builder.stream("{name}-orders", key=str, value=int).to("{name}-bills")

def sums(builder: TopologyBuilder) -> None:
    bills = builder.stream("{name}-bills", key=str, value=int).group_by_key()
    bills.aggregate(int, lambda amount, total: amount + total, store="sums").to_stream().to("{name}-sums")

FLOWS = (Flow("{name}-bill", "Bills.", bills), Flow("{name}-sum", "Sums up.", sums))
SERVICE = Service("{name}", flows=["{name}-sum", "{name}-bill"], settings={"engine": "local"})
"""


class Processes:
    """The processes of a service.

    Args:
        broker: The broker.
        commands: Starts them.
        folder: Where the flows are written.
    """

    def __init__(self, broker: Broker, commands: Commands, folder: Path) -> None:
        self.name = f"service-{uuid.uuid4().hex[:8]}"
        self._module, self._commands, self._folder = folder / "shared_flows.py", commands, folder
        self._module.write_text(_FLOWS.replace("{name}", self.name))
        self._settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
        self._log = KafkaEventLog(self._settings)
        self._orders = Producer(
            f"{self.name}-orders",
            key=str,
            value=int,
            bootstrap_servers=broker.bootstrap_servers,
            create_topics=True,
            num_partitions=_PARTITIONS,
        )
        self.sent = Counter[str]()
        self.urls: dict[str, str] = {}

    def start(self, process: str) -> None:
        """Start a process with a state of its own."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.urls[process] = f"http://127.0.0.1:{port}"
        settings = {
            "server.partitions": "shared",
            "application.server": f"127.0.0.1:{port}",
            "num.partitions": _PARTITIONS,
            "session.timeout.ms": 6_000,
            "heartbeat.interval.ms": 500,
        }
        assigned = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        brokers = ("--bootstrap-servers", self._settings.bootstrap_servers, "--create-topics")
        words: tuple[str | Path, ...] = (
            "--flows",
            self._module,
            "--data-dir",
            self._folder / process,
            "--port",
            str(port),
            *brokers,
            *assigned,
        )
        self._commands.start(process, "up", self.name, "--emit", "every-update", *words)

    def order(self, rounds: int) -> None:
        """Write an order of 1 for each key, so many times."""
        for _ in range(rounds):
            for key in _KEYS:
                self._orders.send(1, key=key)
                self.sent[key] += 1
        self._orders.flush()

    def sums(self) -> dict[str, list[int]]:
        """Return all results by key, in their order."""
        topic, found = f"{self.name}-sums", dict[str, list[int]]()
        if topic in self._log.topics():
            for number in range(self._log.partitions(topic)):
                for batch in self._log.read(topic, number, 0, self._log.end_offset(topic, number)):
                    for record in batch:
                        found.setdefault((record.key or b"").decode(), []).append(int(record.value or b"0"))
        return found

    def answers(self, process: str) -> dict[str, int]:
        """Return the sums that a process gives over HTTP; none for keys that it has no answer for."""
        found: dict[str, int] = {}
        for key in _KEYS:
            try:
                answer = httpx.get(f"{self.urls[process]}/stores/sums/keys/{key}", timeout=30)
            except httpx.TransportError:
                continue
            if answer.status_code == httpx.codes.OK:
                (row,) = answer.json()["rows"]
                found[key] = row["value"]
        return found

    def has_all(self, process: str) -> bool:
        """Return whether the answers of a process have all orders."""
        return self.answers(process) == self.sent

    def partitions(self, process: str) -> set[str]:
        """Return the instances that have partitions of the store, as a process knows them."""
        try:
            instances: list[dict[str, Any]] = httpx.get(f"{self.urls[process]}/hosts", timeout=30).json()["instances"]
        except httpx.TransportError:
            return set()
        return {instance["host"] for instance in instances if instance["stores"].get("sums")}

    def until(self, process: str, fact: Callable[[], bool]) -> None:
        """Wait for a fact."""
        deadline = time.monotonic() + _TIMEOUT_S
        while not fact():
            assert self._commands.is_running(process), self._commands.err(process)
            assert time.monotonic() < deadline, (self.answers(process), self._commands.err(process))
            time.sleep(0.2)

    def close(self) -> None:
        """Release connections."""
        self._orders.close()
        self._log.close()


@pytest.mark.services
@pytest.mark.slow
def test_when_one_of_two_processes_is_killed_the_other_answers_for_all_keys_and_nothing_is_lost_or_doubled(
    kafka_broker: Broker, commands: Commands, tmp_path: Path
) -> None:
    service = Processes(kafka_broker, commands, tmp_path)
    service.order(3)
    service.start("first")
    service.start("second")
    service.until("first", lambda: len(service.partitions("first")) == len(service.partitions("second")) == 2)
    service.order(3)
    for process in ("first", "second"):
        service.until(process, partial(service.has_all, process))
    service.order(3)
    commands.kill("first")
    service.order(3)
    service.until("second", partial(service.has_all, "second"))
    assert service.sums() == {key: list(range(1, number + 1)) for key, number in service.sent.items()}
    assert commands.stop("second", _TIMEOUT_S) == 0
    service.close()
