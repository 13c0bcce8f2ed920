"""What clients log becomes lines of the command's log, not raw text on standard error."""

import json
import logging
from collections.abc import Iterator

import pytest

import eddyline.adapters.kafka.clients.logs  # noqa: F401 - its loggers escape what brokers send
from eddyline.adapters.cli.client_logs import show_client_logs
from eddyline.adapters.cli.log_context import end_log


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    end_log()


@pytest.mark.parametrize("name", ["eddyline.kafka", "eddyline.kafka.client"])
def test_a_warning_of_a_client_is_one_event(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_client_logs()
    show_client_logs()
    logging.getLogger(name).warning("%s: connection to \x1b[2Jbroker refused", name)
    (line,) = capsys.readouterr().err.splitlines()
    event = json.loads(line)
    assert event.pop("timestamp")
    assert event == {"event": f"{name}: connection to \\x1b[2Jbroker refused", "level": "warning", "logger": name}


def test_what_is_no_warning_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    show_client_logs()
    logging.getLogger("eddyline.kafka").info("connected")
    assert capsys.readouterr().err == ""
