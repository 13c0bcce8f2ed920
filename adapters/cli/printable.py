"""Text that is safe to print: control characters, which a terminal would interpret, are replaced by escapes."""

import re
import sys
from typing import Final

import typer

_UNSAFE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters (C0 except tab and newline, DEL, C1), those that change the direction of text, and unpaired surrogates."""


def printable(text: str) -> str:
    r"""Return text whose control characters are replaced by escapes such as `\u001b`, which are also those of JSON.

    Tabs and newlines are kept.
    """
    return text if text.isprintable() else _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text without control characters, or as it is to a standard output that is not a terminal."""
    shown = printable(text) if err or sys.stdout.isatty() else text
    typer.echo(shown, err=err, nl=nl, color=True)  # without color, click leaves escape sequences out
