"""Makes the Spark session that flows run in, with settings that measurements have shown to suit them."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from eddyline.adapters.spark.failures import EngineError

ROCKSDB: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

_STARTUP: Final = str(Path(__file__).parents[1] / "process" / "startup")

DEFAULTS: Final[Mapping[str, str]] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-Xss16m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.python.daemon.module": "eddyline.adapters.spark.process.daemon",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.numRecentProgressUpdates": "100",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "32",
    "spark.sql.session.timeZone": "UTC",
}
"""Rows are few and large, so Arrow batches hold few of them. State is saved as changelogs, not as whole files per batch. Java
does little but copy these rows: without its second compiler it starts in half the time and is no slower afterwards."""


def build_session(
    application_id: str,
    *,
    master: str = "local[*]",
    config: Mapping[str, str] | None = None,
    log_file: Path | None = None,
) -> SparkSession:
    """Return the Spark session of this process, made when there is none.

    `config` overrides the defaults. Workers run this interpreter and find the modules that this process finds. What Java and
    the workers print goes to `log_file`, or to this process's standard streams.

    Raises:
        EngineError: Java cannot be started.
    """
    if SparkContext._active_spark_context is None:  # noqa: SLF001 - the only way to know without starting one
        settings = {**DEFAULTS, **(config or {})}
        conf = SparkConf().setMaster(master).setAppName(application_id).setAll(list(settings.items()))
        with _environment(
            PYSPARK_PYTHON=sys.executable,
            PYSPARK_DRIVER_PYTHON=sys.executable,
            PYTHONPATH=os.pathsep.join(dict.fromkeys(str(Path(place).absolute()) for place in (_STARTUP, *sys.path))),
            PYTHONSAFEPATH="1",
        ):
            context = SparkContext(conf=conf, gateway=_gateway(conf, log_file))
        context.setLogLevel("WARN" if log_file is not None else "ERROR")
    return SparkSession.builder.getOrCreate()


@contextmanager
def _environment(**names: str) -> Iterator[None]:
    """Set environment variables for the processes that are started meanwhile."""
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
    try:
        if log_file is None:
            return launch_gateway(conf, options)  # type: ignore[no-untyped-call]
        log_file.parent.mkdir(parents=True, exist_ok=True)
        with log_file.open("ab") as log:
            return launch_gateway(conf, {**options, "stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
    except (PySparkRuntimeError, FileNotFoundError) as error:
        output = f"; its output is in {log_file}" if log_file is not None else ""
        raise EngineError(f"Java could not be started; Spark needs Java 17 or newer, in PATH or JAVA_HOME{output}") from error
