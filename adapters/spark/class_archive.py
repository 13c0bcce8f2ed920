"""Creates the archive of Java classes with which Spark starts faster."""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pyspark import SparkContext
from pyspark.sql import SparkSession

from eddyline.adapters.spark.archive_files import ArchiveFiles
from eddyline.adapters.spark.driver.java_options import archiving_options, outdated_archives
from eddyline.adapters.spark.driver.session import build_session
from eddyline.adapters.spark.driver.session_settings import JAVA_OPTIONS_SETTING
from eddyline.adapters.spark.failures import EngineError

_EXIT_TIMEOUT_S: Final = 300.0
_FOLDER: Final = "class-archive-"


def create_class_archive(warm_up: Callable[[SparkSession], None], *, again: bool = False) -> Path:
    """Start Spark, call `warm_up`, which uses the classes that a flow uses, and archive them when Java exits.

    This process must have no Spark session, and may start one afterwards. One process of the user does this at a time; when it
    is the turn of this one, nothing is done if there is an archive, unless it is to be created `again`. Return its path.

    Raises:
        EngineError: Java cannot be started, or does not write the archive.
        OSError: the folder for caches cannot be written.
    """
    files = ArchiveFiles.of_this_spark()
    with files.locked():
        if again or not files.archive.is_file():
            _create(files, warm_up)
    return files.archive


def _create(files: ArchiveFiles, warm_up: Callable[[SparkSession], None]) -> None:
    files.log.write_bytes(b"")
    for left in files.archive.parent.glob(f"{_FOLDER}*/"):
        shutil.rmtree(left, ignore_errors=True)  # of a process that was killed
    try:
        with tempfile.TemporaryDirectory(prefix=_FOLDER, dir=files.archive.parent) as folder:
            written = Path(folder, files.archive.name)
            _run_java(written, files.log, warm_up)
            written.replace(files.archive)
    except Exception as error:
        with suppress(OSError):
            files.write_failure(f"{type(error).__name__}: {error}")
        raise
    files.clear_failure()
    for outdated in outdated_archives():
        outdated.unlink(missing_ok=True)


def _run_java(archive: Path, log: Path, warm_up: Callable[[SparkSession], None]) -> None:
    config = {JAVA_OPTIONS_SETTING: archiving_options(archive)}
    session = build_session("class-archive", master="local[2]", config=config, log_file=log)
    gateway: Any = SparkContext._gateway  # noqa: SLF001 - the only way to the process
    try:
        warm_up(session)
    finally:
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(_EXIT_TIMEOUT_S)
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - else the next session would use the process that ended
    if not archive.is_file():
        raise EngineError(f"Java has not written the archive of its classes; its output in '{log}' ends with: {_tail(log)}")


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing"
