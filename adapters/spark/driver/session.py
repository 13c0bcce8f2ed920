"""Creates the Spark session that flows run in, with defaults chosen by measurements."""

import os
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.java import is_submitted, module_path, python_of_workers, settings_found, start_java
from eddyline.adapters.spark.driver.session_settings import MASTER, session_settings, submitted_settings
from eddyline.adapters.spark.failures import EngineError, engine_error
from eddyline.adapters.spark.settings import is_cluster

_EXTENSIONS: Final = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
_OF_SETTING: Final = "spark.sql.extensions"


def skip_discovery(context: SparkContext) -> None:
    """Tell Spark that no data sources written in Python are installed, if that is so.

    Otherwise it starts two Python processes before it registers the first data source, which import all packages called
    `pyspark_...` and register the class `DefaultSource` of each:
    https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html
    """
    if any(module.name.startswith("pyspark_") for module in pkgutil.iter_modules()):
        return
    java: Any = context._jvm  # noqa: SLF001 - the only way to Spark's objects
    with suppress(Py4JError, TypeError):
        manager = getattr(getattr(java.org.apache.spark.sql.execution.datasources, "DataSourceManager$"), "MODULE$")
        if manager.dataSourceBuilders().isEmpty():
            getattr(manager, "dataSourceBuilders_$eq")(java.scala.Option.apply(java.PythonUtils.toScalaMap({})))


def create_java_session(context: SparkContext) -> None:
    """Create the session in Java without the functions of `pyspark.ml`, which spark-mllib registers by a second of reflection.

    Spark asks all libraries that extend sessions, and finds them through the class loader of the thread. That one is without
    libraries meanwhile if spark-mllib is the only one that extends sessions, and no setting names others; else this does nothing.
    """
    if context.getConf().get(_OF_SETTING) is not None:
        return
    gateway: Any = context._gateway  # noqa: SLF001 - the only way to Spark's objects
    java: Any = gateway.jvm
    with suppress(Py4JError, TypeError):
        thread = java.Thread.currentThread()
        loader = thread.getContextClassLoader()
        found = loader.getResources(_EXTENSIONS)
        if not found.hasMoreElements() or "spark-mllib_" not in found.nextElement().toString() or found.hasMoreElements():
            return
        session = java.org.apache.spark.sql.classic.SparkSession
        arguments = (context._jsc.sc(), java.java.util.HashMap())  # noqa: SLF001 - likewise
        types = _array(gateway, "java.lang.Class", *(argument.getClass() for argument in arguments))
        constructor = java.java.lang.Class.forName("org.apache.spark.sql.classic.SparkSession").getConstructor(types)
        given = _array(gateway, "java.lang.Object", *arguments)
        thread.setContextClassLoader(java.java.net.URLClassLoader(_array(gateway, "java.net.URL"), None))
        try:
            created = constructor.newInstance(given)  # py4j finds no classes now, but calls methods of objects
        finally:
            thread.setContextClassLoader(loader)
        session.setDefaultSession(created)


def _array(gateway: Any, name: str, *items: Any) -> Any:
    """Return a Java array of the named class."""
    array = gateway.new_array(getattr(gateway.jvm, name), len(items))
    for index, item in enumerate(items):
        array[index] = item
    return array


_LIBRARIES: Final = ("pyarrow", "pandas")


def import_in_background() -> None:
    """Begin to import the libraries that pyspark imports when it first converts arguments for Java.

    They import no pyspark themselves: two threads that import modules of one package can meet halfway.
    """

    def run() -> None:
        for name in _LIBRARIES:
            with suppress(ImportError):  # pyspark reports it
                import_module(name)

    threading.Thread(target=run, name="import-libraries", daemon=True).start()


def start_workers_in_background(context: SparkContext) -> None:
    """Begin to start the process from which Spark forks the workers of this machine; without it the first job does."""
    attempt_in_background("start-workers", lambda: context.parallelize([0], 1).count())


def attempt_in_background(name: str, action: Callable[[], object]) -> None:
    """Call a function in a thread of this name; its errors are left to the caller that needs the result, and meets them again."""

    def run() -> None:
        with suppress(Exception):
            action()

    threading.Thread(target=run, name=name, daemon=True).start()


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
