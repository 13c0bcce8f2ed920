"""Where commands print: results on standard output, progress and news on standard error."""

import sys

from rich.console import Console

_WIDTH_WITHOUT_TERMINAL = 160


def stdout(*, width: int = _WIDTH_WITHOUT_TERMINAL) -> Console:
    """The console of results; `width` characters wide where no terminal sets it, so that tables keep their lines."""
    return Console(width=None if sys.stdout.isatty() else width, highlight=False, markup=False)


def stderr() -> Console:
    """The console of progress and news."""
    return Console(stderr=True, highlight=False, markup=False)
