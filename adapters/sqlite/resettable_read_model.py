"""The resettable state of queries: the read models that servers build from changelogs."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from eddyline.adapters.sqlite.errors import database_errors
from eddyline.adapters.sqlite.read_model import files_in, is_read_model
from eddyline.application.ports.resettable_state import (
    Application,
    ApplicationRunningError,
    Artifact,
    ResettableState,
    UnmarkedArtifactError,
    counted,
)

_READ_MODEL: Final = "read model of queries"
_COMPANIONS: Final = ("-wal", "-shm", "-journal")
"""The suffixes of the files that SQLite keeps beside its own."""


class ReadModelResettableState(ResettableState):
    """The files of read models in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Make sure that no server answers from the read models, and let none open them."""
        with ExitStack() as stack:
            for path in files_in(self._folder, application.id):
                connection = stack.enter_context(self._opened(path))
                if not is_read_model(connection):
                    raise UnmarkedArtifactError(f"the file '{path}' is no read model; move it away and run the reset again")
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                connection.execute("PRAGMA journal_mode = DELETE")  # fails while another connection is open
                connection.execute("BEGIN EXCLUSIVE")
            yield

    def find(self, application: Application) -> Sequence[Artifact]:
        return [
            Artifact(_READ_MODEL, str(path), counted(path.stat().st_size, "byte"))
            for path in files_in(self._folder, application.id)
        ]

    def remove(self, application: Application, artifact: Artifact) -> None:
        del application
        path = Path(artifact.location)
        for name in (path.name, *(f"{path.name}{suffix}" for suffix in _COMPANIONS)):
            path.with_name(name).unlink(missing_ok=True)

    @contextmanager
    def _opened(self, path: Path) -> Iterator[sqlite3.Connection]:
        in_use = ApplicationRunningError(
            f"the read model '{path}' is in use; stop the query server ('eddyline serve' or 'eddyline run --serve'), or the "
            "program that has opened eddyline.state, and run the reset again"
        )
        with (
            database_errors(path, in_use),
            closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection,
        ):
            yield connection
