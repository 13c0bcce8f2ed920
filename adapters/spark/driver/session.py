"""Creates the Spark session that flows run in, with defaults chosen by measurements."""

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.java import is_submitted, module_path, python_of_workers, settings_found, start_java
from eddyline.adapters.spark.driver.lean_session import create_java_session, skip_discovery
from eddyline.adapters.spark.driver.session_settings import MASTER, session_settings, submitted_settings
from eddyline.adapters.spark.driver.warm_up import attempt_in_background, import_in_background, start_workers_in_background
from eddyline.adapters.spark.failures import EngineError, engine_error
from eddyline.adapters.spark.settings import is_cluster

_PYTHON: Final = "spark.pyspark.python"
_STARTING: Final = threading.Lock()


def build_session(
    application_id: str,
    *,
    master: str | None = None,
    config: Mapping[str, str] | None = None,
    log_file: Path | None = None,
    with_workers: bool = False,
    only_flows: bool = False,
) -> SparkSession:
    """Return the Spark session of this process; create it if there is none, or wait for the thread that creates it.

    On this machine, workers run the interpreter of this process and have its module search path. Under spark-submit, its settings
    take precedence.

    Args:
        application_id: the name of the Spark application.
        master: the URL of Spark's master; by default that of Spark's own configuration, else `local[*]`.
        config: settings of Spark; they override the defaults.
        log_file: receives the output of Java and of the workers; by default it goes to the standard streams of this process.
        with_workers: whether workers are started as well, in the background, if they run on this machine.
        only_flows: whether this process uses the session for flows alone; `create_java_session` says what it is without then.

    Raises:
        EngineError: Java cannot be started, or a setting of Spark is invalid.
    """
    with _STARTING:
        if SparkContext._active_spark_context is None:  # noqa: SLF001 - the only way to know without starting one
            given = {**({} if master is None else {MASTER: master}), **(config or {})}
            _start(application_id, given, log_file, with_workers=with_workers, only_flows=only_flows)
    try:
        return SparkSession.builder.getOrCreate()
    except Py4JJavaError as error:
        raise engine_error(error) from error


def start_in_background(application_id: str, *, config: Mapping[str, str] | None = None, log_file: Path | None = None) -> None:
    """Begin to create the session in which a flow will run, while this process does something else.

    The arguments are those of `build_session`, which waits for the session and reports what prevents it.
    """
    start = partial(build_session, application_id, config=config, log_file=log_file, with_workers=True, only_flows=True)
    attempt_in_background("start-session", start)


def _start(application_id: str, given: Mapping[str, str], log_file: Path | None, *, with_workers: bool, only_flows: bool) -> None:
    import_in_background()
    gateway = start_java(given, log_file)
    found = settings_found(gateway, given)
    settings = submitted_settings(given, found, module_path()) if is_submitted() else session_settings(given, found)
    conf = SparkConf(_jvm=gateway.jvm).setAll(list(settings.items())).setAppName(application_id)
    with python_of_workers(_python(settings)):
        try:
            context = SparkContext(conf=conf)
        except Py4JJavaError as error:
            raise EngineError(f"Spark could not be started: {error.java_exception.getMessage()}") from error
    if with_workers and not is_cluster(settings[MASTER]):
        start_workers_in_background(context)
    skip_discovery(context)
    if only_flows:
        create_java_session(context)
    context.setLogLevel("WARN" if log_file is not None else "ERROR")
    _write_no_checksum_files(context)


def _python(settings: Mapping[str, str]) -> str:
    """Return the command of the workers' Python; on a cluster, the setting of the package counts only if nothing else is set."""
    if is_cluster(settings[MASTER]) or is_submitted():
        return os.environ.get("PYSPARK_PYTHON") or settings.get(_PYTHON) or sys.executable
    return sys.executable


def _write_no_checksum_files(context: SparkContext) -> None:
    """Let Hadoop's local file system, of which a process has one, write no `.crc` files.

    A file and its checksum cannot be renamed at once: if the process is killed in between, the new file does not fit the old
    checksum and can no longer be read. RocksDB has checksums of its own.
    """
    java: Any = context._jvm  # noqa: SLF001 - the only way to Hadoop
    hadoop = java.org.apache.hadoop.fs.FileSystem
    hadoop.getLocal(context._jsc.hadoopConfiguration()).setWriteChecksum(False)  # noqa: SLF001


@contextmanager
def session_for_a_while(
    application_id: str, *, config: Mapping[str, str] | None = None, log_file: Path | None = None
) -> Iterator[SparkSession]:
    """Yield the active session, or else a new one, which is stopped at the end of the block."""
    active = SparkSession.getActiveSession()
    session = active or build_session(application_id, config=config, log_file=log_file)
    try:
        yield session
    finally:
        if active is None:
            session.stop()
