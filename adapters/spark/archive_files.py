"""What is beside the archive of Java classes: a lock, and after an attempt that failed its log and its reason."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, NamedTuple

from eddyline.adapters.spark.driver.java_options import archive_file
from eddyline.adapters.spark.driver.session_settings import LOGGER

_RETRY_AFTER_S: Final = 24 * 3_600.0
_LOCK: Final = "class-archive.lock"


class ArchiveFiles(NamedTuple):
    """The path of an archive, and those of the files that belong to it."""

    archive: Path

    @staticmethod
    def of_this_spark() -> "ArchiveFiles":
        """Return the files for this Spark and this Java, whether they exist or not."""
        return ArchiveFiles(archive_file())

    @property
    def log(self) -> Path:
        """Return the file with the output of the last attempt, if it has not succeeded."""
        return self.archive.with_suffix(".log")

    @property
    def failure(self) -> Path:
        """Return the file with the reason why the last attempt failed, and the version of Eddyline that made it."""
        return self.archive.with_suffix(".failed")

    @contextmanager
    def locked(self, *, wait: bool = True) -> Iterator[None]:
        """Let no other process of the user create an archive in the block; create the folder if it does not exist.

        Raises:
            BlockingIOError: another process has the lock, and this one is not to `wait`.
            OSError: the folder cannot be written.
        """
        self.archive.parent.mkdir(0o700, parents=True, exist_ok=True)
        with (self.archive.parent / _LOCK).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not wait:
                    raise
                LOGGER.warning("another process archives Spark's Java classes; waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def write_failure(self, reason: str) -> None:
        """Keep the reason of an attempt that failed."""
        self.failure.write_text(f"{_version()}\n{reason}\n", encoding="utf-8")

    def recent_failure(self) -> str | None:
        """Return why an attempt of the last day with this version of Eddyline failed; None if there was none."""
        try:
            age = time.time() - self.failure.stat().st_mtime
            of_version, _, reason = self.failure.read_text(encoding="utf-8", errors="replace").partition("\n")
        except FileNotFoundError:
            return None
        return reason.strip() if of_version == _version() and age < _RETRY_AFTER_S else None

    def clear_failure(self) -> None:
        """Delete what an attempt that failed has left."""
        self.failure.unlink(missing_ok=True)
        self.log.unlink(missing_ok=True)


def _version() -> str:
    try:
        return version("eddyline")
    except PackageNotFoundError:  # it is only on the module search path
        return "unknown"
