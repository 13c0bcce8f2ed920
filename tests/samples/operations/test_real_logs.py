"""Triage of real logs: the log of the broker, with a provoked error, and that of this machine's package manager."""

import json
import re
import socket
import struct
import uuid
from pathlib import Path

import pytest

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.services.broker import Broker
from eddyline.application.samples.catalogue import find_flow
from eddyline.domain.operations import LogEvent
from eddyline.testing import MemoryEngine
from tests.adapters.kafka.conftest import eventually
from tests.fixtures.commands import Eddyline

PACKAGE_LOGS = ("dpkg.log", "apt/term.log", "apt/history.log", "dnf.log", "pacman.log", "apk.log", "install.log")
"""Log files under /var/log, in order of preference."""

NO_SUCH_REQUEST = 999
CAUSE = f"Caused by: java.lang.IllegalArgumentException: Unexpected api key: {NO_SUCH_REQUEST}"


@pytest.fixture
def broker_log(kafka_broker: Broker, tmp_path: Path) -> Path:
    """The log of the broker so far, with at least one error, which a request with an unknown API key provokes."""
    request = struct.pack(">hhih", NO_SUCH_REQUEST, 0, 1, 0)
    with socket.create_connection(("127.0.0.1", kafka_broker.port), timeout=10) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        assert connection.recv(1) == b"", "the broker closes the connection"
    eventually(lambda: f"{CAUSE}\n" in kafka_broker.log.read_text(errors="replace"))
    return copy_of(kafka_broker.log, tmp_path / "broker.log")


@pytest.fixture
def package_log(tmp_path: Path) -> Path:
    found = [path for name in PACKAGE_LOGS if (path := Path("/var/log", name)).is_file() and path.stat().st_size]
    if not found:
        pytest.fail(f"this machine has no log of a package manager: none of {', '.join(PACKAGE_LOGS)} is in /var/log")
    return copy_of(found[0], tmp_path / f"{found[0].stem}.log")


def copy_of(log: Path, to: Path) -> Path:
    """Copy the complete lines of a log that is still being written."""
    content = log.read_bytes()
    to.write_bytes(content[: content.rfind(b"\n") + 1])
    return to


class Triage:
    """Logs that `eddyline produce` writes to the broker, and the results of the flow."""

    def __init__(self, eddyline: Eddyline, broker: Broker) -> None:
        self._eddyline = eddyline
        self._servers = broker.bootstrap_servers
        self._topic = f"logs-{uuid.uuid4().hex[:12]}"

    def produce(self, log: Path) -> None:
        words = ["--format", "log", "--file", log, "--create-topics", "--quiet", "--bootstrap-servers", self._servers]
        outcome = self._eddyline("produce", self._topic, *words)
        assert outcome.code == 0, outcome.err

    def run(self) -> tuple[list[LogEvent], list[LogEvent]]:
        """Run the flow; return the events of high severity and all others."""
        engine = MemoryEngine(find_flow("log-triage").topology())
        log = KafkaEventLog({"bootstrap.servers": self._servers})
        for partition in range(log.partitions(self._topic)):
            for batch in log.read(self._topic, partition, 0, log.end_offset(self._topic, partition)):
                for record in batch:
                    event = LogEvent(**json.loads(record.value or b""))
                    engine.pipe("logs", (record.key or b"").decode(), event, record.timestamp)
        log.close()
        high, low = ([output.value for output in engine.outputs(topic)] for topic in ("logs-high", "logs-low"))
        return high, low


@pytest.fixture
def triage(eddyline: Eddyline, kafka_broker: Broker) -> Triage:
    return Triage(eddyline, kafka_broker)


def test_every_error_of_the_broker_has_high_severity_with_its_stack_trace_and_no_line_is_lost(
    triage: Triage, broker_log: Path
) -> None:
    triage.produce(broker_log)
    high, low = triage.run()
    lines = broker_log.read_text(errors="backslashreplace").split("\n")[:-1]
    entry = re.compile(r"\S+ \[[^]]+] ([A-Z]+) [\w.$]+ - (.*)")
    entries = [match for line in lines if (match := entry.fullmatch(line))]
    errors = [match[2] for match in entries if match[1] == "ERROR"]
    assert errors
    assert [event.message for event in high if not event.continued] == errors
    assert CAUSE in [event.message for event in high]
    assert len(high) + len(low) == len(lines)
    assert not [event for event in low if event.severity == "ERROR"]
    assert all(event.service == "broker" for event in high + low)


def test_no_line_of_the_package_log_is_lost(triage: Triage, package_log: Path) -> None:
    triage.produce(package_log)
    high, low = triage.run()
    lines = package_log.read_text(errors="backslashreplace").split("\n")[:-1]
    assert not high, "package managers name no severity"
    assert len(low) == len(lines)
    assert all(line.endswith(event.message) for event, line in zip(low, lines, strict=True))
    if package_log.name == "dpkg.log":
        assert {event.severity for event in low} == {"INFO"}
