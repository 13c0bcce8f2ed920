import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from traceback import format_exception
from typing import Any

import pytest

from eddyline.adapters.smtp.notifier import SmtpNotifier
from eddyline.adapters.smtp.settings import Security, SmtpSettings, SmtpSettingsError
from eddyline.application.ports.notifier import Alert, AlertRefusedError, NotifierUnavailableError
from tests.fixtures.mail_server import HOST, PASSWORD, USER, MailServer, mail_server

ALERT = Alert("popular-alerts//shoes", "ann@example.org", "/shoes is popular", "It has been seen 1000 times.")


def settings_for(server: MailServer, **options: Any) -> SmtpSettings:
    defaults: dict[str, Any] = {"username": USER, "password": PASSWORD, "ca_file": server.ca_file}
    return SmtpSettings(HOST, "Shop <shop@example.org>", server.port, **(defaults | options))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MailServer]:
    with mail_server(tmp_path) as running:
        yield running


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_mail_is_sent_over_tls_with_a_login(tmp_path: Path, security: Security) -> None:
    with mail_server(tmp_path, security=security) as server:
        SmtpNotifier(settings_for(server, security=security)).send(ALERT)
        (mail,) = server.mails
        assert (mail["From"], mail["To"], server.recipients) == (
            "Shop <shop@example.org>",
            "ann@example.org",
            [["ann@example.org"]],
        )


def test_a_mail_can_be_sent_without_tls_and_login(tmp_path: Path) -> None:
    with mail_server(tmp_path, security="none", login=False) as server:
        SmtpNotifier(settings_for(server, security="none", username=None, password=None)).send(ALERT)
        assert len(server.mails) == 1


def test_alerts_with_the_same_id_have_the_same_message_id(server: MailServer) -> None:
    for identity in ("a", "a", "b", "half \ud83d"):
        SmtpNotifier(settings_for(server)).send(ALERT._replace(id=identity))
    first, again, other, odd = (mail["Message-ID"] for mail in server.mails)
    assert first == again
    assert len({first, other, odd}) == 3


def test_line_breaks_in_a_subject_do_not_add_headers(server: MailServer) -> None:
    SmtpNotifier(settings_for(server)).send(ALERT._replace(subject="/shoes\r\nBcc: eve@example.org\r\n\r\nhello"))
    (mail,) = server.mails
    assert (mail["Subject"], mail["Bcc"]) == ("/shoes Bcc: eve@example.org hello", None)
    assert server.recipients == [["ann@example.org"]]


def test_an_encoded_line_break_in_a_subject_does_not_add_headers(server: MailServer) -> None:
    subject = "=?utf-8?q?/shoes=0d=0aReply-To:=20eve@example.org?="
    SmtpNotifier(settings_for(server)).send(ALERT._replace(subject=subject))
    (mail,) = server.mails
    assert (mail["Subject"], mail["Reply-To"]) == ("= ?utf-8?q?/shoes=0d=0aReply-To:=20eve@example.org?=", None)
    assert server.recipients == [["ann@example.org"]]


def test_mails_share_a_connection_that_is_reopened_when_it_was_lost(tmp_path: Path) -> None:
    with mail_server(tmp_path) as server:
        notifier = SmtpNotifier(settings_for(server))
        notifier.send(ALERT)
        first = notifier._open_connection  # noqa: SLF001 - the connection is not visible from outside
        notifier.send(ALERT)
        assert notifier._open_connection is first  # noqa: SLF001 - likewise
        assert first is not None
        assert first.sock is not None
        first.sock.shutdown(socket.SHUT_RDWR)
        notifier.send(ALERT)
        assert len(server.mails) == 3
        notifier.close()


def test_a_wrong_password_is_rejected_and_never_shown(server: MailServer) -> None:
    wrong = "wrong password"
    with pytest.raises(AlertRefusedError, match=r"535 .*; check smtp\.username and smtp\.password$") as error:
        SmtpNotifier(settings_for(server, password=wrong)).send(ALERT)
    assert wrong not in "".join(format_exception(error.value))
    assert server.mails == []


def test_secrets_are_never_shown(server: MailServer) -> None:
    settings = settings_for(server)
    assert PASSWORD not in f"{settings!r} {settings} {SmtpNotifier(settings)!r}"
    assert USER in repr(SmtpNotifier(settings))


def test_a_mail_has_the_date_at_which_it_was_sent(server: MailServer) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    SmtpNotifier(settings_for(server)).send(ALERT)
    (mail,) = server.mails
    assert before <= mail["Date"].datetime <= datetime.now(UTC)


def test_a_ca_file_without_certificates_is_a_permanent_error(server: MailServer, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("no certificate")
    settings = settings_for(server, ca_file=tmp_path / "empty.pem")
    with pytest.raises(AlertRefusedError, match=r"smtp\.ca\.file '.*empty\.pem' cannot be loaded: .*; set it to a file with PEM"):
        SmtpNotifier(settings).send(ALERT)


def test_tls_to_a_port_without_tls_is_reported_with_the_settings_to_check(tmp_path: Path) -> None:
    with (
        mail_server(tmp_path, security="none", login=False) as server,
        pytest.raises(
            NotifierUnavailableError, match=r"does not accept a TLS connection: .*; check smtp\.port and smtp\.security"
        ),
    ):
        SmtpNotifier(settings_for(server, security="tls")).send(ALERT)


def test_a_server_without_starttls_receives_neither_password_nor_mail(tmp_path: Path) -> None:
    with mail_server(tmp_path, security="none", login=False) as server:
        with pytest.raises(AlertRefusedError, match=r"STARTTLS extension not supported.*choose another smtp\.security"):
            SmtpNotifier(settings_for(server)).send(ALERT)
        assert server.mails == []


def test_no_mail_is_sent_to_a_server_with_an_untrusted_certificate(server: MailServer) -> None:
    with pytest.raises(AlertRefusedError, match=r"the certificate .* is not trusted: .*; set smtp\.ca\.file to"):
        SmtpNotifier(settings_for(server, ca_file=None)).send(ALERT)
    assert server.mails == []


@pytest.mark.parametrize(
    ("response", "error_type"),
    [
        ("451 try again later", NotifierUnavailableError),
        ("421 going down", NotifierUnavailableError),
        ("554 no thanks", AlertRefusedError),
        ("552 too much", AlertRefusedError),
    ],
)
def test_a_4xx_response_is_temporary_and_a_5xx_response_permanent(
    tmp_path: Path, response: str, error_type: type[Exception]
) -> None:
    with mail_server(tmp_path, answer=lambda number, _mail: None if number else response) as server:
        notifier = SmtpNotifier(settings_for(server))
        with pytest.raises(error_type, match=f"mail server {HOST}:{server.port}: {response}"):
            notifier.send(ALERT)
        notifier.send(ALERT)
        assert len(server.mails) == 1


@pytest.mark.parametrize(
    ("response", "error_type"), [("450 busy", NotifierUnavailableError), ("550 nobody here", AlertRefusedError)]
)
def test_a_recipient_can_be_rejected_temporarily_or_permanently(
    tmp_path: Path, response: str, error_type: type[Exception]
) -> None:
    with (
        mail_server(tmp_path, answer_recipient=lambda _address: response) as server,
        pytest.raises(error_type, match=f"ann@example.org: {response}"),
    ):
        SmtpNotifier(settings_for(server)).send(ALERT)


def test_a_server_that_requires_ascii_addresses_is_reported_as_such(tmp_path: Path) -> None:
    with (
        mail_server(tmp_path, smtputf8=False) as server,
        pytest.raises(AlertRefusedError, match="does not advertise the required SMTPUTF8 capability; use ASCII addresses"),
    ):
        SmtpNotifier(settings_for(server)).send(ALERT._replace(recipient="änn@example.org"))


def test_a_server_that_does_not_run_is_unavailable(tmp_path: Path) -> None:
    with mail_server(tmp_path) as server:
        settings = settings_for(server)
    with pytest.raises(NotifierUnavailableError, match=f"mail server {HOST}:{settings.port} cannot be reached"):
        SmtpNotifier(settings).send(ALERT)


@pytest.mark.parametrize("address", ["", "ann@example.org, eve@example.org", "ann@example.org\r\nBcc: eve@example.org", "@"])
def test_an_invalid_address_is_rejected(server: MailServer, address: str) -> None:
    with pytest.raises(AlertRefusedError, match=r"is not a single e-mail address; write, for example, ann@example\.org"):
        SmtpNotifier(settings_for(server)).send(ALERT._replace(recipient=address))
    assert server.mails == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"host": ""}, "smtp.host is missing; set it, for example smtp.host=mail.example.org"),
        ({"sender": ""}, "smtp.sender is missing; set it, for example smtp.sender=alerts@example.org"),
        ({"username": "me"}, "smtp.username is set without smtp.password; set both to log in, or neither"),
        ({"password": "x"}, "smtp.password is set without smtp.username; set both to log in, or neither"),
        (
            {"username": "me", "password": "x", "security": "none"},
            "smtp.security=none would send smtp.password unencrypted; use starttls or tls, or remove username and password",
        ),
        ({"ca_file": Path("/nowhere")}, "smtp.ca.file '/nowhere' does not exist; set it to a file with PEM certificates"),
    ],
)
def test_invalid_settings_are_reported_with_what_to_change(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SmtpSettingsError) as error:
        SmtpSettings(**({"host": "mail.example.org", "sender": "shop@example.org"} | options))
    assert str(error.value) == message


@pytest.mark.parametrize(("security", "port"), [("starttls", 587), ("tls", 465), ("none", 25)])
def test_the_default_port_depends_on_the_security(security: Security, port: int) -> None:
    assert SmtpSettings("mail.example.org", "a@example.org", security=security).address == f"mail.example.org:{port}"
    assert SmtpSettings("mail.example.org", "a@example.org", 2525, security).address == "mail.example.org:2525"
