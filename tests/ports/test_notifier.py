"""The contract of the notifier, tested on every adapter."""

import io
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from eddyline.adapters.console.notifier import ConsoleNotifier
from eddyline.adapters.smtp.notifier import SmtpNotifier
from eddyline.adapters.smtp.settings import SmtpSettings
from eddyline.application.ports.notifier import Alert, Notifier
from tests.fixtures.alerts import MemoryNotifier
from tests.fixtures.examples import examples
from tests.fixtures.mail_server import HOST, PASSWORD, USER, MailServer, mail_server


class Received(NamedTuple):
    recipient: str
    subject: str
    lines: list[str]


class Recipient(ABC):
    """A notifier together with the messages that arrived at its other end."""

    notifier: Notifier

    @abstractmethod
    def received(self) -> list[Received]: ...


class MemoryRecipient(Recipient):
    def __init__(self) -> None:
        self.notifier = self._memory = MemoryNotifier()

    def received(self) -> list[Received]:
        return [Received(alert.recipient, alert.subject, alert.body.splitlines()) for alert in self._memory.sent]


class ConsoleRecipient(Recipient):
    def __init__(self) -> None:
        self._out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
        self.notifier = ConsoleNotifier(self._out)

    def received(self) -> list[Received]:
        self._out.seek(0)
        alerts: list[Received] = []
        for line in self._out.read().split("\n")[:-1]:
            if line.startswith("  "):
                alerts[-1].lines.append(line[2:])
            else:
                found = re.fullmatch(r"to (\S*): (.*)", line)
                assert found, line
                alerts.append(Received(found[1], found[2], []))
        return alerts


class MailRecipient(Recipient):
    def __init__(self, server: MailServer) -> None:
        self._server = server
        self.notifier = SmtpNotifier(
            SmtpSettings(HOST, "shop@example.org", server.port, "starttls", USER, PASSWORD, server.ca_file)
        )

    def received(self) -> list[Received]:
        return [Received(mail["To"], mail["Subject"], mail.get_content().splitlines()) for mail in self._server.mails]


@pytest.fixture(params=["memory", "console", "smtp"])
def recipient(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Recipient]:
    if request.param == "smtp":
        with mail_server(tmp_path) as server:
            mail_recipient = MailRecipient(server)
            yield mail_recipient
            mail_recipient.notifier.close()
    else:
        yield MemoryRecipient() if request.param == "memory" else ConsoleRecipient()


def alert(number: int = 1, subject: str = "/shoes is popular", body: str = "It has been seen 1000 times.") -> Alert:
    return Alert(f"popular-alerts/{number}", "ann@example.org", subject, body)


def test_an_alert_reaches_its_recipient(recipient: Recipient) -> None:
    recipient.notifier.send(alert())
    assert recipient.received() == [Received("ann@example.org", "/shoes is popular", ["It has been seen 1000 times."])]


def test_alerts_arrive_in_order_and_each_time_they_are_sent(recipient: Recipient) -> None:
    for number in (1, 2, 2, 3):
        recipient.notifier.send(alert(number, f"alert {number}"))
    assert [received.subject for received in recipient.received()] == ["alert 1", "alert 2", "alert 2", "alert 3"]


def test_a_body_can_contain_lines_that_have_a_meaning_in_smtp(recipient: Recipient) -> None:
    body = "first\n.\n..dots\nQUIT\nSubject: another\n" + "long " * 500
    recipient.notifier.send(alert(body=body))
    assert [received.lines for received in recipient.received()] == [body.split("\n")]


def test_non_ascii_text_arrives_unchanged(recipient: Recipient) -> None:
    recipient.notifier.send(alert(subject="Größe 42 ist begehrt: 靴", body="naïve café ☕"))
    assert recipient.received() == [Received("ann@example.org", "Größe 42 ist begehrt: 靴", ["naïve café ☕"])]


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(subject=st.text(max_size=90), body=st.text(max_size=200))
@example("/shoes\r\nBcc: eve@example.org\r\n\r\nhello", "\x1b[2J\r\n.\r\nMAIL FROM:<eve@example.org>\x00")
@example("half a \ud83d", "character \udc4d")
@example("", "")
def test_an_alert_with_any_text_arrives_as_exactly_one_message(recipient: Recipient, subject: str, body: str) -> None:
    before = len(recipient.received())
    recipient.notifier.send(alert(subject=subject, body=body))
    assert [received.recipient for received in recipient.received()[before:]] == ["ann@example.org"]


def test_a_notifier_can_be_used_again_after_close(recipient: Recipient) -> None:
    recipient.notifier.send(alert(1))
    recipient.notifier.close()
    recipient.notifier.send(alert(2))
    assert len(recipient.received()) == 2
