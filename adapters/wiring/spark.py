"""Spark: the engine, which needs the extra `spark` and a Java runtime."""

import os
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.adapters.services.errors import MissingToolError
from eddyline.adapters.services.java import find_java
from eddyline.adapters.settings import Settings
from eddyline.adapters.spark.driver.checkpoint_files import IDENTITY_FILE
from eddyline.adapters.spark.driver.resettable_state import CheckpointResettableState
from eddyline.adapters.spark.settings import is_cluster, is_uri
from eddyline.adapters.wiring.extras import extra
from eddyline.application.operations.exported_state import ExportedState
from eddyline.application.ports.resettable_state import ResettableState
from eddyline.application.topology import Topology
from eddyline.application.topology.types import Emit

if TYPE_CHECKING:
    from eddyline.adapters.spark.driver.hadoop_path import Location
    from eddyline.adapters.spark.engine import SparkEngine
    from eddyline.adapters.spark.package.archive import PackageSummary

_OLDEST_JAVA = 17


class MissingJavaError(RuntimeError):
    """No Java runtime that Spark can run on was found; the message says how to install one."""


def spark_engine(*args: Any, **options: Any) -> "SparkEngine":
    """Return a SparkEngine with these arguments."""
    with extra("spark"):
        from eddyline.adapters.spark.engine import SparkEngine
    return SparkEngine(*args, **options)


def let_workers_log(level: str) -> None:
    """Let the workers of the Spark that this process starts next log from a level on, such as `info`."""
    with extra("spark"):
        from eddyline.adapters.spark.worker_logs import let_workers_log
    let_workers_log(level)


def start_spark_in_background(settings: Settings, application_id: str, log_file: Path) -> None:
    """Begin to start Spark for a run of a flow, while this process does something else; the run waits until it has started.

    Raises what `check_spark` raises.
    """
    check_spark()
    from eddyline.adapters.spark.driver.session import start_in_background

    start_in_background(application_id, config=spark_config(settings), log_file=log_file)


def spark_config(settings: Settings) -> dict[str, str]:
    """Return the settings of Spark, with those that bring the package to executors.

    Raises:
        PackageError: the package does not fit this process.
    """
    properties, package = settings.spark_properties(), settings.package
    if package is None or not is_cluster(properties.get("spark.master", "cluster")):
        return properties
    with extra("spark"):
        from eddyline.adapters.spark.package.archive import check_package
        from eddyline.adapters.spark.package.settings import with_package
    check_package(package)
    return with_package(properties, package)


def cluster_warnings(settings: Settings) -> list[str]:
    """Return what an operator should know about a run on a cluster."""
    master = settings.spark_properties().get("spark.master")
    if master is None or not is_cluster(master) or settings.log != "files":
        return []
    where = f"the topics are files in '{settings.data_dir}'"
    return [f"{where}, which the executors of master '{master}' have only if all machines share that disk; else use --log kafka"]


def create_package(file: Path, others: Collection[str] = ()) -> "PackageSummary":
    """Create a package with the modules that this process has imported, and the distributions `others`."""
    with extra("spark"):
        from eddyline.adapters.spark.package.archive import create_package
    return create_package(file, others)


def explain_on_spark(topology: Topology, emit: Emit | None = None) -> str:
    """Return how Spark would run a topology, operator by operator; `emit` as a run would choose it."""
    with extra("spark"):
        from eddyline.adapters.spark.explain import explain
    return explain(topology, emit)


def checkpoint_location(checkpoint: Path | str, log_file: Path, settings: Settings) -> "Location":
    """Return a checkpoint's directory, or the one with its URI, which needs Java; `log_file` receives Java's output."""
    if isinstance(checkpoint, Path):
        return checkpoint.absolute()
    check_spark()
    from eddyline.adapters.spark.driver.driver_session import DriverSession

    return DriverSession("checkpoint", spark_config(settings), log_file).location(checkpoint)


def has_checkpoint(folder: "Location") -> bool:
    """Return whether there is a checkpoint in `folder`."""
    return (folder / IDENTITY_FILE).exists()


def export_state(
    folder: "Location", topology: Topology, application_id: str, log_file: Path, settings: Settings
) -> ExportedState:
    """Return the state of the checkpoint in `folder`, read by the active Spark session or by one that is stopped afterwards."""
    with extra("spark"):
        from eddyline.adapters.spark.driver.moved_state import export_state
        from eddyline.adapters.spark.driver.session import session_for_a_while
    with session_for_a_while(application_id, config=settings.spark_properties(), log_file=log_file) as session:
        return export_state(session, folder, topology)


def import_state(folder: "Location", application_id: str, topology: Topology, state: ExportedState) -> None:
    """Create a checkpoint in `folder` that begins with exported state."""
    with extra("spark"):
        from eddyline.adapters.spark.driver.moved_state import import_state
    import_state(folder, application_id, topology, state)


def replace_state(folder: "Location", application_id: str, topology: Topology, state: ExportedState) -> None:
    """Replace the checkpoint in `folder`, if there is one, by one that begins with exported state."""
    with extra("spark"):
        from eddyline.adapters.spark.driver.moved_state import replace_state
    replace_state(folder, application_id, topology, state)


def checkpoints(settings: Settings) -> ResettableState:
    """Return the checkpoints of applications, where the settings have them."""
    if settings.checkpoint_dir is None or not is_uri(settings.checkpoint_dir):
        return CheckpointResettableState(Path(settings.checkpoint_dir or settings.state_dir))
    check_spark()
    from eddyline.adapters.spark.driver.java import start_java
    from eddyline.adapters.spark.driver.remote_resettable_state import RemoteCheckpointState

    properties = settings.spark_properties()
    log_file = Path(tempfile.mkdtemp(prefix="eddyline-java-")) / "java.log"
    return RemoteCheckpointState(settings.checkpoint_dir, lambda: start_java(properties, log_file), properties)


def create_class_archive(warm_up: Callable[[Any], None], *, again: bool = False) -> Path:
    """Return the path of an archive of the Java classes that `warm_up` uses when it is called with a Spark session."""
    with extra("spark"):
        from eddyline.adapters.spark.class_archive import create_class_archive
    return create_class_archive(warm_up, again=again)


def archive_in_background(settings: Settings) -> Path | None:
    """Start a process that archives the Java classes of this run, if they are not archived yet; return the archive's path."""
    if not settings.create_class_archive:
        return None
    from eddyline.adapters.spark.background_archive import archive_in_background

    return archive_in_background(settings.spark_properties())


def class_archive_file() -> Path:
    """Return the path of the archive of Java classes, whether it exists or not."""
    with extra("spark"):
        from eddyline.adapters.spark.driver.java_options import archive_file
    return archive_file()


def check_spark() -> None:
    """Make sure that Spark can start: let JAVA_HOME name a Java runtime that Spark supports, unless it does already.

    Raises:
        MissingExtraError: pyspark is not installed.
        MissingJavaError: there is no such Java runtime.
    """
    with extra("spark"):
        import eddyline.adapters.spark.engine  # noqa: F401
    try:
        java = find_java(_OLDEST_JAVA, "it")
    except MissingToolError as missing:
        found = str(missing).partition(". ")[0]
        raise MissingJavaError(
            f"Spark cannot start: {found}; install Java {_OLDEST_JAVA} (Debian, Ubuntu: apt install openjdk-17-jre-headless;"
            " macOS: brew install openjdk@17), set JAVA_HOME, or run the flow with --engine memory"
        ) from missing
    if java.parent.parent != Path(os.environ.get("JAVA_HOME", os.devnull)):
        os.environ["JAVA_HOME"] = str(java.resolve().parent.parent)
