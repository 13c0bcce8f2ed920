"""Why a run failed, in one line."""

import re
import sys
from typing import Final

from eddyline.application.ports.codec import CodecUnavailableError

_LAST_LINE: Final = re.compile(r"^(?P<name>[A-Za-z_][\w.]*(?:Error|Exception)): (?P<text>.+)$", re.MULTILINE)
_SPARKS_OWN: Final = ("org.apache.spark", "java.", "scala.", "pyspark.", "py4j.", "net.razorvine")
_SLOW_START: Final = "Python worker failed to connect back"
"""Spark gives a new worker ten seconds, which a busy machine may exceed."""


class EngineError(RuntimeError):
    """A run ended by a failure; the message is the innermost one, the cause holds all that Spark said.

    `may_pass` when the same batch may succeed later, since something outside was not there.
    """

    def __init__(self, message: str, *, may_pass: bool = False) -> None:
        super().__init__(message)
        self.may_pass = may_pass


def explained(error: Exception) -> EngineError:
    """The failure that lies under what Spark raised."""
    text = str(error)
    own = [found for found in _LAST_LINE.finditer(text) if not found["name"].startswith(_SPARKS_OWN)]
    if not own:
        return EngineError(text.strip().partition("\n")[0], may_pass=_SLOW_START in text)
    module, _, name = own[-1]["name"].rpartition(".")
    return EngineError(f"{name}: {own[-1]['text']}", may_pass=_says_later(module, name))


def _says_later(module: str, name: str) -> bool:
    """Whether a worker's error is a CodecUnavailableError; its codecs were sent from here, so their modules are known here."""
    found = getattr(sys.modules.get(module), name, None)
    return isinstance(found, type) and issubclass(found, CodecUnavailableError)
