"""The consoles of commands: results go to standard output, progress and messages to standard error."""

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.text import Text

from eddyline.adapters.cli.printable import printable

_WIDTH_WITHOUT_TERMINAL = 160


class _SafeConsole(Console):
    """A console that prints what it is given without control characters; only its own layout uses them."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


def stdout(*, width: int = _WIDTH_WITHOUT_TERMINAL) -> Console:
    """Return the console for results; `width` is the number of characters per line if standard output is not a terminal."""
    return _SafeConsole(width=None if sys.stdout.isatty() else width, highlight=False, markup=False)


def stderr() -> Console:
    """Return the console for progress and messages."""
    return _SafeConsole(stderr=True, highlight=False, markup=False)


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number with the noun that it counts, such as `1 record` and `2,000 records`."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def message(text: str) -> None:
    """Print a line to standard error."""
    stderr().print(printable(text), soft_wrap=True)


def progress_bar() -> Progress:
    """Return a progress bar on standard error that counts records."""
    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=stderr())
