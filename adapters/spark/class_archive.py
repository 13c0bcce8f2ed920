"""Creates the archive of Java classes with which Spark starts faster."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pyspark import SparkContext
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.java_options import archive_file, archiving_options, outdated_archives
from eddyline.adapters.spark.driver.session import build_session
from eddyline.adapters.spark.driver.session_settings import JAVA_OPTIONS_SETTING
from eddyline.adapters.spark.failures import EngineError

_EXIT_TIMEOUT_S: Final = 300.0


def create_class_archive(warm_up: Callable[[SparkSession], None]) -> Path:
    """Start Spark, call `warm_up`, which uses the classes that a flow uses, and archive them when Java exits.

    This process must have no Spark session, and may start one afterwards. The archive replaces existing ones. Return its path.

    Raises:
        EngineError: Java cannot be started, or does not write the archive.
        OSError: the folder for caches cannot be written.
    """
    file = archive_file()
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        written, log = Path(folder, file.name), Path(folder, "spark.log")
        config = {JAVA_OPTIONS_SETTING: archiving_options(written)}
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
        if not written.is_file():
            raise EngineError(f"Java has not written the archive of its classes; its output ends with: {_tail(log)}")
        written.replace(file)
    for outdated in outdated_archives():
        outdated.unlink(missing_ok=True)
    return file


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing"
