import json
import os
import signal
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
from aiosmtpd.smtp import Envelope

from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.forks.forked import ForkedCommand
from tests.fixtures.mail_server import HOST, PASSWORD, USER, MailServer, mail_server

TOPIC = "popular-alerts"
WORDS = ["notify", TOPIC, "--recipient", "ann@example.org", "--available-now"]


def alert(folder: Path, *pages: str, batch: int = 0) -> None:
    """Write alerts as a flow does."""
    sink = FileEventSink(folder / "data/topics")
    sink.create_topic(TOPIC, 2)
    values = {page: json.dumps({"page": page, "views": 1000}).encode() for page in pages}
    sink.write("app", 0, batch, [SinkRecord(TOPIC, page.encode(), value, 0) for page, value in values.items()])


def mail_words(server: MailServer, **given: object) -> list[str]:
    """Return the options for this server; the password comes from the environment."""
    settings = {"host": HOST, "port": server.port, "sender": "shop@example.org", "username": USER, "ca.file": server.ca_file}
    return ["--via", "smtp", *(word for name, value in (settings | given).items() for word in ("--set", f"smtp.{name}={value}"))]


def test_alerts_are_printed_once(eddyline: Eddyline, tmp_path: Path) -> None:
    alert(tmp_path, "/shoes")
    outcome = eddyline(*WORDS)
    assert outcome.code == 0
    assert outcome.out == "to ann@example.org: /shoes is popular\n  The page /shoes has been seen 1000 times.\n"
    assert outcome.err == "ann@example.org: 1 alert sent from topic 'popular-alerts'\n"
    alert(tmp_path, "/shoes", "/hats", batch=1)
    outcome = eddyline(*WORDS)
    assert outcome.out == "to ann@example.org: /hats is popular\n  The page /hats has been seen 1000 times.\n"
    assert "1 alert sent, 1 sent before" in outcome.err


def test_each_recipient_has_a_list_of_sent_alerts(eddyline: Eddyline, tmp_path: Path) -> None:
    alert(tmp_path, "/shoes")
    for recipient in ("ann@example.org", "bob/../x"):
        assert "1 alert sent" in eddyline("notify", TOPIC, "--recipient", recipient, "--available-now").err
    assert sorted(file.name for file in (tmp_path / "data/state/alerts").iterdir()) == [
        "popular-alerts to ann@example.org.sqlite",
        "popular-alerts to bob%2F..%2Fx.sqlite",
    ]


def test_alerts_are_mailed_once(eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alert(tmp_path, "/shoes", "/hats")
    monkeypatch.setenv("EDDYLINE_SMTP_PASSWORD", PASSWORD)
    with mail_server(tmp_path) as server:
        for _ in range(2):
            outcome = eddyline(*WORDS, *mail_words(server))
            assert (outcome.code, outcome.out) == (0, "")
    assert sorted(mail["Subject"] for mail in server.mails) == ["/hats is popular", "/shoes is popular"]


@pytest.mark.parametrize("moment", ["before the server accepts the mail", "after the server has accepted the mail"])
def test_a_killed_command_repeats_at_most_the_mail_in_flight(tmp_path: Path, moment: str) -> None:
    alert(tmp_path, *(f"/page-{number}" for number in range(5)))
    running: list[ForkedCommand] = []

    def kill_over_the_third(number: int, _mail: Envelope) -> str | None:
        if number == 2:
            os.kill(running[0].pid, signal.SIGKILL)
            running[0].wait()
            return "451 not taken" if moment == "before the server accepts the mail" else None
        return None

    with mail_server(tmp_path, answer=kill_over_the_third) as server:
        assert _eddyline(tmp_path, server, running.append) == -signal.SIGKILL
        assert _eddyline(tmp_path, server, running.append) == 0
        assert _eddyline(tmp_path, server, running.append) == 0
    subjects = [mail["Subject"] for mail in server.mails]
    assert sorted(set(subjects)) == [f"/page-{number} is popular" for number in range(5)]
    assert len(subjects) == (5 if moment == "before the server accepts the mail" else 6)
    assert len({_id(mail) for mail in server.mails}) == 5


def _eddyline(folder: Path, server: MailServer, on_start: Callable[[ForkedCommand], None]) -> int:
    environment = os.environ | {"EDDYLINE_SMTP_PASSWORD": PASSWORD}
    process = ForkedCommand([*WORDS, *mail_words(server)], cwd=folder, env=environment)
    on_start(process)
    return process.wait(timeout=120)


def _id(mail: EmailMessage) -> str:
    return str(mail["Message-ID"])


def test_the_command_waits_for_more_alerts_and_retries_while_the_server_is_unavailable(
    eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alert(tmp_path, "/shoes")
    monkeypatch.setenv("EDDYLINE_SMTP_PASSWORD", PASSWORD)
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            alert(tmp_path, "/hats", batch=1)
        if len(pauses) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr("eddyline.adapters.cli.commands.notify.sleep", sleep)
    with mail_server(tmp_path, answer=lambda number, _mail: "451 later" if number < 2 else None) as server:
        outcome = eddyline(*(word for word in WORDS if word != "--available-now"), *mail_words(server))
    assert outcome.code == 0
    assert pauses == [2.0, 4.0, 1.0, 1.0]
    assert [mail["Subject"] for mail in server.mails] == ["/shoes is popular", "/hats is popular"]
    assert outcome.err.count("451 later; retrying in") == 2
    assert "ann@example.org: 2 alerts sent" in outcome.err


def test_two_commands_do_not_send_the_same_alerts_to_the_same_recipient(eddyline: Eddyline, tmp_path: Path) -> None:
    alert(tmp_path, "/shoes")
    other = SqliteSentAlerts(tmp_path / "data/state/alerts/popular-alerts to ann@example.org.sqlite")
    other.has("anything")
    outcome = eddyline(*WORDS)
    assert (outcome.code, outcome.out) == (1, "")
    assert "in use by another process, which would send the same alerts; stop it" in outcome.err
    other.close()


def test_a_refused_login_is_one_line_without_the_password(
    eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alert(tmp_path, "/shoes")
    monkeypatch.setenv("EDDYLINE_SMTP_PASSWORD", "not the word")
    with mail_server(tmp_path) as server:
        outcome = eddyline(*WORDS, *mail_words(server))
    assert outcome.code == 1
    assert "535 5.7.8 Authentication credentials invalid; check smtp.username and smtp.password" in outcome.err
    assert "not the word" not in outcome.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*WORDS, "--via", "smtp"], "smtp.host is missing; set it, for example smtp.host=mail.example.org"),
        ([*WORDS, "--via", "pigeon"], "invalid value 'pigeon' for '--via': choose one of: 'console', 'smtp'"),
        ([*WORDS, "--set", "smtp.security=magic"], "invalid value 'magic' for setting 'smtp.security' (from the command line)"),
        (["notify", "no-alerts", "--recipient", "ann", "--available-now"], "topic 'no-alerts' is unknown"),
    ],
)
def test_an_invalid_option_is_an_error(eddyline: Eddyline, tmp_path: Path, words: list[str], message: str) -> None:
    alert(tmp_path, "/shoes")
    outcome = eddyline(*words)
    assert outcome.code != 0
    assert message in outcome.err


def test_alerts_of_a_flow_on_simulated_input_are_sent(eddyline: Eddyline) -> None:
    assert eddyline("simulate", "beaconing", "--hosts", 3, "--infected", 1).code == 0
    assert eddyline("run", "beaconing", "--engine", "memory", "--available-now").code == 0
    outcome = eddyline("notify", "beacons", "--recipient", "ann@example.org", "--available-now")
    assert outcome.code == 0
    assert outcome.out.count("suspiciously regularly\n") == 2
    assert "ann@example.org: 2 alerts sent from topic 'beacons'" in outcome.err
