"""Creates the Spark session that flows run in, with defaults chosen by measurements."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.java_options import java_options
from eddyline.adapters.spark.failures import EngineError

ROCKSDB: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

_CHECKPOINTING: Final = "org.apache.spark.sql.execution.streaming.checkpointing"

JAVA_OPTIONS_SETTING: Final = "spark.driver.extraJavaOptions"

_START_ERRORS: Final = (PySparkRuntimeError, FileNotFoundError)
_NEEDED: Final = "Spark needs Java 17 or newer, in PATH or JAVA_HOME"
_EXCEPTION: Final = re.compile(r"(?:Exception in thread \S+ )?[\w.$]+(?:Exception|Error): (?P<message>.+)")
_NO_JVM: Final = "Error: Could not create the Java Virtual Machine."
_STARTUP: Final = str(Path(__file__).parents[1] / "process" / "startup")

DEFAULTS: Final[Mapping[str, str]] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.python.daemon.module": "eddyline.adapters.spark.process.daemon",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.checkpointFileManagerClass": f"{_CHECKPOINTING}.FileSystemBasedCheckpointFileManager",
    "spark.sql.streaming.numRecentProgressUpdates": "100",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "32",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}
"""Rows are few and large, so Arrow batches hold few of them. RocksDB saves the changes of a batch, not whole files.
Without its native library Hadoop starts a process for each `chmod` and `readlink` of a checkpoint's files: the file manager that
uses its `FileSystem` needs no `readlink`, and renames as atomically on a local disk. Workers of stateful operators never
simplify tracebacks: if others did, their environment would differ, and Spark would start a second daemon for them."""


def build_session(
    application_id: str,
    *,
    master: str = "local[*]",
    config: Mapping[str, str] | None = None,
    log_file: Path | None = None,
) -> SparkSession:
    """Return the Spark session of this process; create it if there is none.

    Workers run the interpreter of this process and have its module search path.

    Args:
        application_id: the name of the Spark application.
        master: the URL of Spark's master.
        config: settings of Spark; they override the defaults.
        log_file: receives the output of Java and of the workers; by default it goes to the standard streams of this process.

    Raises:
        EngineError: Java cannot be started, or a setting of Spark is invalid.
    """
    if SparkContext._active_spark_context is None:  # noqa: SLF001 - the only way to know without starting one
        settings = {JAVA_OPTIONS_SETTING: java_options(), **DEFAULTS, **(config or {})}
        conf = SparkConf().setMaster(master).setAppName(application_id).setAll(list(settings.items()))
        with _environment(
            PYSPARK_PYTHON=sys.executable,
            PYSPARK_DRIVER_PYTHON=sys.executable,
            PYTHONPATH=os.pathsep.join(dict.fromkeys(str(Path(entry).absolute()) for entry in (_STARTUP, *sys.path))),
            PYTHONSAFEPATH="1",
        ):
            gateway = _gateway(conf, log_file)
            try:
                context = SparkContext(conf=conf, gateway=gateway)
            except Py4JJavaError as error:
                raise EngineError(f"Spark could not be started: {error.java_exception.getMessage()}") from error
        context.setLogLevel("WARN" if log_file is not None else "ERROR")
        _write_no_checksum_files(context)
    return SparkSession.builder.getOrCreate()


def _write_no_checksum_files(context: SparkContext) -> None:
    """Let Hadoop's local file system, of which a process has one, write no `.crc` files.

    A file and its checksum cannot be renamed at once: if the process is killed in between, the new file does not fit the old
    checksum and can no longer be read. RocksDB has checksums of its own.
    """
    java: Any = context._jvm  # noqa: SLF001 - the only way to Hadoop
    hadoop = java.org.apache.hadoop.fs.FileSystem
    hadoop.getLocal(context._jsc.hadoopConfiguration()).setWriteChecksum(False)  # noqa: SLF001


@contextmanager
def _environment(**names: str) -> Iterator[None]:
    """Set environment variables for the processes that are started in the block."""
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _gateway(conf: SparkConf, log_file: Path | None) -> object:
    """Start Java in a process group of its own, so that Ctrl-C for this process does not interrupt a batch."""
    options: dict[str, object] = {"process_group": 0}
    if log_file is None:
        try:
            return launch_gateway(conf, options)  # type: ignore[no-untyped-call]
        except _START_ERRORS as error:
            raise EngineError(f"Java could not be started; {_NEEDED}") from error
    log_file.parent.mkdir(0o700, parents=True, exist_ok=True)
    with log_file.open("ab") as log:
        before = log.tell()
        try:
            return launch_gateway(conf, {**options, "stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
        except _START_ERRORS as error:
            reason = why_not_started(log_file.read_bytes()[before:].decode(errors="replace"))
            problem = f"Spark could not be started: {reason}" if reason else f"Java could not be started; {_NEEDED}"
            raise EngineError(f"{problem}; its output is in '{log_file}'") from error


def why_not_started(output: str) -> str:
    """Return the reason in the output of Java and of Spark's start script; empty if there is none."""
    before = ""
    for line in output.splitlines():
        if line.startswith(_NO_JVM):
            return before.strip()
        found = _EXCEPTION.match(line)
        if found is not None:
            return found["message"].strip()
        before = line
    return ""
