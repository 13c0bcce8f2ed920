"""Converts alerts to e-mail messages."""

import re
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from hashlib import sha256
from typing import Final

from eddyline.application.ports.notifier import Alert

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
