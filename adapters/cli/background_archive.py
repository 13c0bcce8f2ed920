"""Has Spark's Java classes archived in the background, when a run has shown that it works."""

from collections.abc import Callable
from pathlib import Path

from eddyline.adapters.cli.log_context import is_logged
from eddyline.adapters.cli.run_log import show_archiving
from eddyline.application.runtime.progress.report import Progress, RunReport


class BackgroundArchive:
    """Calls `begin` once: when the first batch of a run is committed, or else at the end of the run.

    `begin` returns the path of the archive if one is created. This is reported at once if the run has a log, and otherwise at its
    end, below the progress bar.
    """

    def __init__(self, begin: Callable[[], Path | None]) -> None:
        self._begin, self._has_begun = begin, False
        self._file: Path | None = None

    def on_progress(self, _reached: Progress, _report: RunReport) -> None:
        """Begin, since a batch is committed."""
        self._begin_once()
        if is_logged():
            self._show()

    def end(self) -> None:
        """Begin if no batch was committed, since the run has ended without an error."""
        self._begin_once()
        self._show()

    def _begin_once(self) -> None:
        if not self._has_begun:
            self._has_begun, self._file = True, self._begin()

    def _show(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            show_archiving(str(file))
