"""Converts alerts to e-mail messages."""

from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from hashlib import sha256

from eddyline.application.ports.notifier import Alert


def message_of(alert: Alert, sender: str) -> EmailMessage:
    """Return the message of an alert.

    Its Message-ID is derived from the id of the alert, so that a duplicate can be recognized. Control characters are replaced
    by spaces, and the subject becomes one line, so that no text of the alert can add a header.

    Raises:
        ValueError: the sender or the recipient is not an e-mail address.
    """
    message = EmailMessage(policy=SMTP)
    _add_address(message, "From", sender)
    _add_address(message, "To", alert.recipient)
    message["Subject"] = " ".join(_mailable(alert.subject).split()) or "(no subject)"
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = f"<{sha256(alert.id.encode('utf-8', 'backslashreplace')).hexdigest()}@eddyline.invalid>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_mailable(alert.body))
    return message


def _add_address(message: EmailMessage, header: str, address: str) -> None:
    if address.isprintable():
        message[header] = address
        if len(message[header].addresses) == 1 and message[header].addresses[0].username:
            return
    raise ValueError(f"{address!r} is not a single e-mail address; write, for example, ann@example.org")


def _mailable(text: str) -> str:
    """Return the text with escaped unpaired surrogates, and with spaces for control characters except tabs and newlines."""
    encodable = text.encode("utf-8", "backslashreplace").decode()
    return "".join(character if character in "\t\n" or ord(character) >= ord(" ") else " " for character in encodable)
