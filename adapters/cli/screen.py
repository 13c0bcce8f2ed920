"""The consoles of commands: results go to standard output, progress and messages to standard error."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

from eddyline.adapters.cli.log_context import is_logged
from eddyline.adapters.cli.printable import printable

_WIDTH_WITHOUT_TERMINAL = 160
WIDE = 10_000
"""Enough for a row to stay on one line where no terminal wraps it."""


def stdout(*, width: int = _WIDTH_WITHOUT_TERMINAL) -> "Console":
    """Return the console for results; `width` is the number of characters per line if standard output is not a terminal."""
    from eddyline.adapters.cli.safe_console import SafeConsole  # noqa: PLC0415 - help is shown without rich

    return SafeConsole(width=None if sys.stdout.isatty() else width, highlight=False, markup=False)


def stderr() -> "Console":
    """Return the console for progress and messages."""
    from eddyline.adapters.cli.safe_console import SafeConsole  # noqa: PLC0415 - likewise

    return SafeConsole(stderr=True, highlight=False, markup=False)


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number with the noun that it counts, such as `1 record` and `2,000 records`."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def message(text: str) -> None:
    """Print a line to standard error, a line of the log if the command writes one."""
    if is_logged():
        from eddyline.adapters.cli.logs import logger  # noqa: PLC0415 - structlog is imported only for runs that write a log

        logger().info(text)
        return
    stderr().print(printable(text), soft_wrap=True)


def progress_bar() -> "Progress":
    """Return a progress bar on standard error that counts records."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - likewise

    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=stderr())
