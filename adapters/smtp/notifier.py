"""A notifier that sends e-mail, and the messages that it sends."""

import re
import smtplib
import ssl
from contextlib import suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from hashlib import sha256
from typing import Final

from eddyline.adapters.smtp.settings import SmtpSettings
from eddyline.application.ports.notifier import Alert, AlertRefusedError, Notifier, NotifierUnavailableError

_TEMPORARY_CODES = range(400, 500)
_OK = 250


class SmtpNotifier(Notifier):
    """Sends each alert as a mail over one connection, which is opened for the first alert and reopened after a failure."""

    def __init__(self, settings: SmtpSettings) -> None:
        self._settings = settings
        self._open_connection: smtplib.SMTP | None = None

    def __repr__(self) -> str:
        return f"SmtpNotifier({self._settings})"

    def send(self, alert: Alert) -> None:
        """Send an alert; when this returns, the mail server has accepted the mail.

        Raises:
            NotifierUnavailableError: the server cannot be reached, responded with a temporary error (4xx), or closed the
                connection before it accepted the mail.
            AlertRefusedError: the server responded with a permanent error (5xx), its certificate is not trusted, or the
                alert has an invalid address.
        """
        server = f"mail server {self._settings.address}"
        try:
            message = message_of(alert, self._settings.sender)
        except ValueError as error:
            raise AlertRefusedError(f"alert '{alert.id}' cannot be sent as mail: {error}") from error
        try:
            self._connection().send_message(message, *envelope_of(message))
        except smtplib.SMTPException as error:
            self._fail(alert, error)
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise AlertRefusedError(
                f"the certificate of {server} is not trusted: {error.verify_message};"
                " set smtp.ca.file to the certificate of its authority"
            ) from error
        except ssl.SSLError as error:
            self.close()
            raise NotifierUnavailableError(
                f"{server} does not accept a TLS connection: {error}; check smtp.port and smtp.security"
            ) from error
        except OSError as error:
            self.close()
            raise NotifierUnavailableError(f"{server} cannot be reached: {error}") from error

    def close(self) -> None:
        connection, self._open_connection = self._open_connection, None
        if connection is not None:
            with suppress(smtplib.SMTPException, OSError):
                connection.quit()
            connection.close()

    def _connection(self) -> smtplib.SMTP:
        """Return the open connection, or a new one if there is none or the server has closed it."""
        if self._open_connection is not None and not _is_alive(self._open_connection):
            self.close()
        if self._open_connection is None:
            self._open_connection = self._connect()
        return self._open_connection

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        address, timeout = (settings.host, settings.port_number), settings.timeout_s
        tls = self._tls_context()
        server = (
            smtplib.SMTP_SSL(*address, timeout=timeout, context=tls)
            if settings.security == "tls"
            else smtplib.SMTP(*address, timeout=timeout)
        )
        try:
            if settings.security == "starttls":
                server.starttls(context=tls)
            if settings.username is not None and settings.password is not None:
                server.login(settings.username, settings.password)
        except BaseException:
            server.close()
            raise
        return server

    def _tls_context(self) -> ssl.SSLContext:
        ca_file = self._settings.ca_file
        try:
            return ssl.create_default_context(cafile=ca_file)
        except OSError as error:
            raise AlertRefusedError(
                f"smtp.ca.file '{ca_file}' cannot be loaded: {error}; set it to a file with PEM certificates"
            ) from error

    def _fail(self, alert: Alert, error: smtplib.SMTPException) -> None:
        self.close()
        reason = f"mail server {self._settings.address}: {_reason(error)}"
        if isinstance(error, smtplib.SMTPAuthenticationError) and error.smtp_code not in _TEMPORARY_CODES:
            raise AlertRefusedError(f"{reason}; check smtp.username and smtp.password") from None
        if isinstance(error, smtplib.SMTPNotSupportedError):
            hint = "use ASCII addresses" if "SMTPUTF8" in reason else "choose another smtp.security, or no login"
            raise AlertRefusedError(f"{reason}; {hint}") from None
        codes = _codes(error)
        if not codes or any(code in _TEMPORARY_CODES for code in codes):
            raise NotifierUnavailableError(reason) from None
        raise AlertRefusedError(f"{reason} (alert '{alert.id}' to {alert.recipient})") from None


def _is_alive(connection: smtplib.SMTP) -> bool:
    try:
        return connection.noop()[0] == _OK
    except (smtplib.SMTPException, OSError):
        return False


def _codes(error: smtplib.SMTPException) -> list[int]:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return [code for code, _ in error.recipients.values()]
    return [error.smtp_code] if isinstance(error, smtplib.SMTPResponseException) else []


def _reason(error: smtplib.SMTPException) -> str:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "; ".join(f"{address}: {code} {_line(text)}" for address, (code, text) in error.recipients.items())
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_line(error.smtp_error)}"
    return _line(str(error))


def _line(response: bytes | str) -> str:
    text = response.decode("utf-8", "replace") if isinstance(response, bytes) else response
    return " ".join(text.split())


_ENCODED_WORD: Final = "=?"
_CONTROL_CHARACTERS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def message_of(alert: Alert, sender: str) -> EmailMessage:
    """Return the message of an alert.

    Its Message-ID is derived from the id of the alert, so that a duplicate can be recognized. Control characters are replaced
    by spaces, the subject becomes one line, and its encoded words (RFC 2047) are broken up, because Python decodes them and
    some of its versions write line breaks inside them as they are. So no text of the alert can add a header.

    Raises:
        ValueError: the sender or the recipient is not an e-mail address.
    """
    message = EmailMessage(policy=SMTP)
    _add_address(message, "From", sender)
    _add_address(message, "To", alert.recipient)
    message["Subject"] = " ".join(_mailable(alert.subject).replace(_ENCODED_WORD, "= ?").split()) or "(no subject)"
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = f"<{sha256(alert.id.encode('utf-8', 'backslashreplace')).hexdigest()}@eddyline.invalid>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_mailable(alert.body))
    return message


def envelope_of(message: EmailMessage) -> tuple[str, str]:
    """Return the addresses of the sender and the recipient of a message, without their display names."""
    return message["From"].addresses[0].addr_spec, message["To"].addresses[0].addr_spec


def _add_address(message: EmailMessage, header: str, address: str) -> None:
    if address.isprintable() and _ENCODED_WORD not in address:
        message[header] = address
        parsed = message[header]
        if len(parsed.addresses) == 1 and parsed.addresses[0].username and parsed.groups[0].display_name is None:
            return
    raise ValueError(f"{address!r} is not a single e-mail address; write, for example, ann@example.org")


def _mailable(text: str) -> str:
    """Return the text with escaped unpaired surrogates, and with spaces for control characters except tabs and newlines."""
    return _CONTROL_CHARACTERS.sub(" ", text.encode("utf-8", "backslashreplace").decode())
