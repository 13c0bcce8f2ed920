"""Notifiers that print alerts, and write them to the log of the program."""

import logging
import sys
from typing import Final, TextIO

from eddyline.application.ports.notifier import Alert, Notifier, NotifierUnavailableError

_LOGGER: Final = logging.getLogger("eddyline.alerts")


class LogNotifier(Notifier):
    """Writes each alert as one line of the logger `eddyline.alerts`, as a warning."""

    def send(self, alert: Alert) -> None:
        lines = (alert.subject, *alert.body.splitlines())
        _LOGGER.warning("alert to %s: %s", _printable(alert.recipient), " | ".join(map(_printable, lines)))


class ConsoleNotifier(Notifier):
    """Prints alerts to a text stream, by default to standard output.

    Control characters, and characters that the encoding of the stream does not have, are printed as escape sequences.
    """

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out

    def send(self, alert: Alert) -> None:
        out = self._out or sys.stdout
        body = "".join(f"  {_printable(line)}\n" for line in alert.body.splitlines())
        text = f"to {_printable(alert.recipient)}: {_printable(alert.subject)}\n{body}"
        encoding = out.encoding or "utf-8"
        try:
            out.write(text.encode(encoding, "backslashreplace").decode(encoding))
            out.flush()
        except OSError as error:
            raise NotifierUnavailableError(f"the console cannot be written to: {error}") from error


def _printable(line: str) -> str:
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in line)
