"""Where commands print: results on standard output, progress and news on standard error."""

import sys

from rich.console import Console

_WIDTH_WITHOUT_TERMINAL = 160


def stdout() -> Console:
    """The console of results; wide where no terminal sets the width, so that tables keep their lines."""
    return Console(width=None if sys.stdout.isatty() else _WIDTH_WITHOUT_TERMINAL, highlight=False, markup=False)


def stderr() -> Console:
    """The console of progress and news."""
    return Console(stderr=True, highlight=False, markup=False)
