"""An alert as a mail."""

from email.message import EmailMessage
from email.policy import SMTP
from hashlib import sha256

from eddyline.application.ports.notifier import Alert


def message_of(alert: Alert, sender: str) -> EmailMessage:
    """The mail of an alert, which has the same Message-ID whenever it is made, so that a repeated one can be recognised.

    Whatever the alert holds becomes text: line breaks in the subject become blanks, so that nothing in it can make a header.
    Raises ValueError for an address that is none.
    """
    message = EmailMessage(policy=SMTP)
    _address(message, "From", sender)
    _address(message, "To", alert.recipient)
    message["Subject"] = " ".join(_text(alert.subject).split()) or "(no subject)"
    message["Message-ID"] = f"<{sha256(alert.id.encode('utf-8', 'backslashreplace')).hexdigest()}@eddyline.invalid>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_text(alert.body))
    return message


def _address(message: EmailMessage, header: str, address: str) -> None:
    if address.isprintable():
        message[header] = address
        if len(message[header].addresses) == 1 and message[header].addresses[0].username:
            return
    raise ValueError(f"{address!r} is not one address, such as ann@example.org")


def _text(text: str) -> str:
    """The text without what mail cannot hold: control characters but tabs and line breaks, and halves of characters."""
    whole = text.encode("utf-8", "backslashreplace").decode()
    return "".join(character if character in "\t\n" or ord(character) >= ord(" ") else " " for character in whole)
