import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from adapters.cli.services_command import app
from adapters.services.artifacts import Artifacts
from adapters.services.supervisor import Condition, Service, ServiceStatus, Supervisor


@pytest.fixture
def folder(service_artifacts: Artifacts, tmp_path: Path) -> Iterator[Path]:
    """A services folder with the programs in it already."""
    (tmp_path / "parts").symlink_to(service_artifacts.broker().parent)
    yield tmp_path
    Supervisor(tmp_path).down(Service)


def _eddyline_services(*words: str, folder: Path) -> Result:
    return CliRunner().invoke(app, [*words, "--folder", str(folder)])


def _broker(folder: Path) -> ServiceStatus:
    return Supervisor(folder).status()[0]


@pytest.mark.services
def test_the_broker_comes_up_tells_its_address_and_goes_down(folder: Path) -> None:
    before = _eddyline_services("status", folder=folder)
    up = _eddyline_services("up", "broker", folder=folder)
    first = _broker(folder)
    again = _eddyline_services("up", "broker", folder=folder)
    unchanged = _broker(folder)
    down = _eddyline_services("down", folder=folder)

    assert before.exit_code == 1
    assert up.exit_code == again.exit_code == down.exit_code == 0, up.output
    assert first.condition is Condition.SERVING
    assert "serving" in up.stdout
    assert first.address in up.stdout
    assert unchanged == first
    assert _broker(folder).condition is Condition.DOWN


@pytest.mark.services
def test_a_service_comes_up_again_at_the_same_address(folder: Path) -> None:
    _eddyline_services("up", "broker", folder=folder)
    first = _broker(folder)
    _eddyline_services("down", folder=folder)
    _eddyline_services("up", "broker", folder=folder)
    assert _broker(folder).address == first.address
    assert _broker(folder).pid != first.pid


def test_a_port_that_is_taken_is_refused_with_the_cure(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = _eddyline_services("up", "broker", "--broker-port", str(port), folder=tmp_path)
    assert result.exit_code == 1
    assert f"port {port} of 127.0.0.1 is taken: choose another for the broker" in result.output


def test_status_of_services_that_never_ran_says_that_they_are_down(tmp_path: Path) -> None:
    result = _eddyline_services("status", folder=tmp_path)
    assert result.exit_code == 1
    assert result.stdout.count("down") == 2
