import json
import shlex
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.supervisor import Condition, Service, ServiceStatus, Supervisor
from tests.adapters.cli.conftest import Eddyline


@pytest.fixture
def folder(
    service_artifacts: Artifacts, broker_java: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A services directory that has the programs already; brokers that start there do so as quickly as the others."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", shlex.join(broker_java))
    (tmp_path / "parts").symlink_to(service_artifacts.broker().parent)
    yield tmp_path
    Supervisor(tmp_path).down(Service)


def _broker(folder: Path) -> ServiceStatus:
    return Supervisor(folder).status()[0]


@pytest.mark.services
def test_the_broker_starts_shows_its_address_and_stops(eddyline: Eddyline, folder: Path) -> None:
    before = eddyline("services", "status", "--services-dir", folder)
    up = eddyline("services", "up", "broker", "--services-dir", folder)
    first = _broker(folder)
    again = eddyline("services", "up", "broker", "--services-dir", folder)
    unchanged = _broker(folder)
    env = eddyline("services", "env", "--services-dir", folder)
    down = eddyline("services", "down", "--services-dir", folder)

    assert before.code == 1
    assert up.code == again.code == down.code == 0, up.err
    assert first.condition is Condition.SERVING
    assert "serving" in up.out
    assert first.address in up.out
    assert unchanged == first
    assert env.out == f"export EDDYLINE_LOG=kafka\nexport EDDYLINE_BOOTSTRAP_SERVERS={first.address}\n"
    assert _broker(folder).condition is Condition.DOWN


@pytest.mark.services
@pytest.mark.slow
def test_a_service_restarts_at_the_same_address(eddyline: Eddyline, folder: Path) -> None:
    eddyline("services", "up", "broker", "--services-dir", folder)
    first = _broker(folder)
    eddyline("services", "down", "--services-dir", folder)
    eddyline("services", "up", "broker", "--services-dir", folder)
    assert _broker(folder).address == first.address
    assert _broker(folder).pid != first.pid


def test_a_port_in_use_is_an_error_with_the_fix(eddyline: Eddyline, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = eddyline("services", "up", "broker", "--broker-port", str(port), "--services-dir", tmp_path)
    assert result.code == 1
    assert f"port {port} on 127.0.0.1 is not available; choose another for the broker" in result.err


def test_services_that_have_never_run_are_down(eddyline: Eddyline, tmp_path: Path) -> None:
    result = eddyline("services", "status", "--services-dir", tmp_path)
    assert result.code == 1
    assert result.out.count("down") == 2
    objects = eddyline("services", "status", "--services-dir", tmp_path, "--format", "json").out.splitlines()
    assert [(found["service"], found["pid"]) for found in map(json.loads, objects)] == [("broker", None), ("registry", None)]


def test_the_environment_of_stopped_services_is_an_error(eddyline: Eddyline, tmp_path: Path) -> None:
    outcome = eddyline("services", "env", "--services-dir", tmp_path)
    assert outcome.code == 1
    assert "start the services with 'eddyline services up'" in outcome.err
