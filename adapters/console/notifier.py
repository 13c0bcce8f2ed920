"""Alerts on a screen, or in a file that a program's output goes to."""

import sys
from typing import TextIO

from eddyline.application.ports.notifier import Alert, Notifier, NotifierUnavailableError


class ConsoleNotifier(Notifier):
    """Prints alerts; by default on standard output. Characters that would steer a terminal are shown by their codes."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out

    def send(self, alert: Alert) -> None:
        out = self._out or sys.stdout
        body = "".join(f"  {_shown(line)}\n" for line in alert.body.splitlines())
        text = f"to {_shown(alert.recipient)}: {_shown(alert.subject)}\n{body}"
        encoding = out.encoding or "utf-8"
        try:
            out.write(text.encode(encoding, "backslashreplace").decode(encoding))
            out.flush()
        except OSError as closed:
            raise NotifierUnavailableError(f"the console cannot be written to: {closed}") from closed


def _shown(line: str) -> str:
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in line)
