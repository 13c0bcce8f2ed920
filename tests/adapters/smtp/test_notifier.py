import socket
from collections.abc import Iterator
from pathlib import Path
from traceback import format_exception
from typing import Any

import pytest

from eddyline.adapters.smtp.notifier import SmtpNotifier
from eddyline.adapters.smtp.settings import Security, SmtpSettings, SmtpSettingsError
from eddyline.application.ports.notifier import Alert, AlertRefusedError, NotifierUnavailableError
from tests.fixtures.mail_server import HOST, PASSWORD, USER, MailServer, mail_server

ALERT = Alert("popular-alerts//shoes", "ann@example.org", "/shoes is popular", "It has been seen 1000 times.")


def settings_for(server: MailServer, **given: Any) -> SmtpSettings:
    known: dict[str, Any] = {"username": USER, "password": PASSWORD, "ca_file": server.ca_file}
    return SmtpSettings(HOST, "Shop <shop@example.org>", server.port, **(known | given))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MailServer]:
    with mail_server(tmp_path) as running:
        yield running


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_mail_goes_over_tls_with_a_login(tmp_path: Path, security: Security) -> None:
    with mail_server(tmp_path, security=security) as server:
        SmtpNotifier(settings_for(server, security=security)).send(ALERT)
        (mail,) = server.mails
        assert (mail["From"], mail["To"], server.recipients) == (
            "Shop <shop@example.org>",
            "ann@example.org",
            [["ann@example.org"]],
        )


def test_mail_may_go_to_a_server_that_asks_for_neither_tls_nor_login(tmp_path: Path) -> None:
    with mail_server(tmp_path, security="none", login=False) as server:
        SmtpNotifier(settings_for(server, security="none", username=None, password=None)).send(ALERT)
        assert len(server.mails) == 1


def test_the_same_alert_has_the_same_message_id_and_another_one_another(server: MailServer) -> None:
    for identity in ("a", "a", "b", "half \ud83d"):
        SmtpNotifier(settings_for(server)).send(ALERT._replace(id=identity))
    first, again, other, odd = (mail["Message-ID"] for mail in server.mails)
    assert first == again
    assert len({first, other, odd}) == 3


def test_a_subject_with_line_breaks_makes_no_headers(server: MailServer) -> None:
    SmtpNotifier(settings_for(server)).send(ALERT._replace(subject="/shoes\r\nBcc: eve@example.org\r\n\r\nhello"))
    (mail,) = server.mails
    assert (mail["Subject"], mail["Bcc"]) == ("/shoes Bcc: eve@example.org hello", None)
    assert server.recipients == [["ann@example.org"]]


def test_mails_share_a_connection_and_a_lost_one_is_made_again(tmp_path: Path) -> None:
    with mail_server(tmp_path) as server:
        notifier = SmtpNotifier(settings_for(server))
        notifier.send(ALERT)
        first = notifier._connected  # noqa: SLF001 - which connection it is cannot be seen from outside
        notifier.send(ALERT)
        assert notifier._connected is first  # noqa: SLF001 - likewise
        assert first is not None
        assert first.sock is not None
        first.sock.shutdown(socket.SHUT_RDWR)
        notifier.send(ALERT)
        assert len(server.mails) == 3
        notifier.close()


def test_a_wrong_password_is_refused_and_never_shown(server: MailServer) -> None:
    wrong = "not the word"
    with pytest.raises(AlertRefusedError, match=r"535 .*; check smtp\.username and smtp\.password$") as error:
        SmtpNotifier(settings_for(server, password=wrong)).send(ALERT)
    assert wrong not in "".join(format_exception(error.value))
    assert server.mails == []


def test_secrets_are_never_shown(server: MailServer) -> None:
    settings = settings_for(server)
    assert PASSWORD not in f"{settings!r} {settings} {SmtpNotifier(settings)!r}"
    assert USER in repr(SmtpNotifier(settings))


def test_a_server_without_tls_gets_neither_password_nor_mail(tmp_path: Path) -> None:
    with mail_server(tmp_path, security="none", login=False) as server:
        with pytest.raises(AlertRefusedError, match=r"STARTTLS extension not supported.*choose another smtp\.security"):
            SmtpNotifier(settings_for(server)).send(ALERT)
        assert server.mails == []


def test_a_certificate_that_is_not_trusted_stops_the_mail(server: MailServer) -> None:
    with pytest.raises(AlertRefusedError, match=r"the certificate .* is not trusted: .*; name .* in smtp\.ca\.file"):
        SmtpNotifier(settings_for(server, ca_file=None)).send(ALERT)
    assert server.mails == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("451 try again later", NotifierUnavailableError),
        ("421 going down", NotifierUnavailableError),
        ("554 no thanks", AlertRefusedError),
        ("552 too much", AlertRefusedError),
    ],
)
def test_a_temporary_answer_is_told_from_a_refusal(tmp_path: Path, said: str, kind: type[Exception]) -> None:
    with mail_server(tmp_path, answer=lambda number, _mail: None if number else said) as server:
        notifier = SmtpNotifier(settings_for(server))
        with pytest.raises(kind, match=f"mail server {HOST}:{server.port}: {said}"):
            notifier.send(ALERT)
        notifier.send(ALERT)
        assert len(server.mails) == 1


@pytest.mark.parametrize(("said", "kind"), [("450 busy", NotifierUnavailableError), ("550 nobody here", AlertRefusedError)])
def test_a_recipient_may_be_refused_for_now_or_for_good(tmp_path: Path, said: str, kind: type[Exception]) -> None:
    with (
        mail_server(tmp_path, answer_recipient=lambda _address: said) as server,
        pytest.raises(kind, match=f"ann@example.org: {said}"),
    ):
        SmtpNotifier(settings_for(server)).send(ALERT)


def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with mail_server(tmp_path) as server:
        settings = settings_for(server)
    with pytest.raises(NotifierUnavailableError, match=f"mail server {HOST}:{settings.port} cannot be reached"):
        SmtpNotifier(settings).send(ALERT)


@pytest.mark.parametrize("address", ["", "ann@example.org, eve@example.org", "ann@example.org\r\nBcc: eve@example.org", "@"])
def test_an_address_that_is_not_one_is_refused(server: MailServer, address: str) -> None:
    with pytest.raises(AlertRefusedError, match=r"is not one address, such as ann@example\.org"):
        SmtpNotifier(settings_for(server)).send(ALERT._replace(recipient=address))
    assert server.mails == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"host": ""}, "smtp.host is missing; give one, for example smtp.host=mail.example.org"),
        ({"sender": ""}, "smtp.sender is missing; give one, for example smtp.sender=alerts@example.org"),
        ({"username": "me"}, "smtp.username is given without smtp.password; give both to log in, or neither"),
        ({"password": "x"}, "smtp.password is given without smtp.username; give both to log in, or neither"),
        (
            {"username": "me", "password": "x", "security": "none"},
            "smtp.password would be sent in the clear; choose smtp.security=starttls or tls, or no login",
        ),
        ({"ca_file": Path("/nowhere")}, "smtp.ca.file /nowhere does not exist; name a file of certificates in PEM"),
    ],
)
def test_settings_that_do_not_go_together_are_named_with_the_cure(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SmtpSettingsError) as error:
        SmtpSettings(**({"host": "mail.example.org", "sender": "shop@example.org"} | given))
    assert str(error.value) == message


@pytest.mark.parametrize(("security", "port"), [("starttls", 587), ("tls", 465), ("none", 25)])
def test_the_port_is_the_usual_one_unless_another_is_given(security: Security, port: int) -> None:
    assert SmtpSettings("mail.example.org", "a@example.org", security=security).address == f"mail.example.org:{port}"
    assert SmtpSettings("mail.example.org", "a@example.org", 2525, security).address == "mail.example.org:2525"
