"""Alerts by e-mail."""

import smtplib
import ssl
from contextlib import suppress

from eddyline.adapters.smtp.message import message_of
from eddyline.adapters.smtp.settings import SmtpSettings
from eddyline.application.ports.notifier import Alert, AlertRefusedError, Notifier, NotifierUnavailableError

_TEMPORARY = range(400, 500)


class SmtpNotifier(Notifier):
    """Sends each alert as a mail, over one connection that is made when it is first needed and again when it was lost."""

    def __init__(self, settings: SmtpSettings) -> None:
        self._settings = settings
        self._connected: smtplib.SMTP | None = None

    def __repr__(self) -> str:
        return f"SmtpNotifier({self._settings})"

    def send(self, alert: Alert) -> None:
        """Returns when the server has taken the mail. A connection that breaks before it said so counts as unavailable.

        Raises NotifierUnavailableError and AlertRefusedError.
        """
        try:
            message = message_of(alert, self._settings.sender)
        except ValueError as unfit:
            raise AlertRefusedError(f"alert '{alert.id}' cannot be a mail: {unfit}") from unfit
        try:
            self._connection().send_message(message)
        except smtplib.SMTPException as refused:
            self._fail(alert, refused)
        except ssl.SSLCertVerificationError as untrusted:
            self.close()
            reason = f"the certificate of mail server {self._settings.address} is not trusted: {untrusted.verify_message}"
            raise AlertRefusedError(f"{reason}; name its authority's certificate in smtp.ca.file") from untrusted
        except OSError as broken:
            self.close()
            raise NotifierUnavailableError(f"mail server {self._settings.address} cannot be reached: {broken}") from broken

    def close(self) -> None:
        connection, self._connected = self._connected, None
        if connection is not None:
            with suppress(smtplib.SMTPException, OSError):
                connection.quit()
            connection.close()

    def _connection(self) -> smtplib.SMTP:
        """The connection, a new one where there is none or where the server has left the old one."""
        if self._connected is not None and not _answers(self._connected):
            self.close()
        if self._connected is None:
            self._connected = self._connect()
        return self._connected

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        where, timeout = (settings.host, settings.port_number), settings.timeout_s
        tls = ssl.create_default_context(cafile=settings.ca_file)
        server = (
            smtplib.SMTP_SSL(*where, timeout=timeout, context=tls)
            if settings.security == "tls"
            else (smtplib.SMTP(*where, timeout=timeout))
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

    def _fail(self, alert: Alert, refused: smtplib.SMTPException) -> None:
        self.close()
        reason = f"mail server {self._settings.address}: {_reason(refused)}"
        if isinstance(refused, smtplib.SMTPAuthenticationError) and refused.smtp_code not in _TEMPORARY:
            raise AlertRefusedError(f"{reason}; check smtp.username and smtp.password") from None
        if isinstance(refused, smtplib.SMTPNotSupportedError):
            raise AlertRefusedError(f"{reason}; choose another smtp.security or login") from None
        codes = _codes(refused)
        if not codes or any(code in _TEMPORARY for code in codes):
            raise NotifierUnavailableError(reason) from None
        raise AlertRefusedError(f"{reason} (alert '{alert.id}' to {alert.recipient})") from None


def _answers(connection: smtplib.SMTP) -> bool:
    try:
        return connection.noop()[0] == 250  # noqa: PLR2004 - SMTP's code for "well"
    except (smtplib.SMTPException, OSError):
        return False


def _codes(refused: smtplib.SMTPException) -> list[int]:
    if isinstance(refused, smtplib.SMTPRecipientsRefused):
        return [code for code, _ in refused.recipients.values()]
    return [refused.smtp_code] if isinstance(refused, smtplib.SMTPResponseException) else []


def _reason(refused: smtplib.SMTPException) -> str:
    if isinstance(refused, smtplib.SMTPRecipientsRefused):
        return "; ".join(f"{who}: {code} {_line(said)}" for who, (code, said) in refused.recipients.items())
    if isinstance(refused, smtplib.SMTPResponseException):
        return f"{refused.smtp_code} {_line(refused.smtp_error)}"
    return _line(str(refused))


def _line(said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return " ".join(text.split())
