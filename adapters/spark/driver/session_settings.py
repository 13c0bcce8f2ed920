"""The settings of a session: the engine's defaults for a kind of master, what the user has set, and what spark-submit has.

They take precedence in this order, the last one first.
"""

import logging
import re
from collections.abc import Mapping
from typing import Final

from eddyline.adapters.spark.driver.java_options import JAVA_OPTIONS, java_options
from eddyline.adapters.spark.package.settings import package_settings
from eddyline.adapters.spark.settings import is_cluster

LOGGER: Final = logging.getLogger("eddyline.spark")

MASTER: Final = "spark.master"
JAVA_OPTIONS_SETTING: Final = "spark.driver.extraJavaOptions"
FILE_MANAGER: Final = "spark.sql.streaming.checkpointFileManagerClass"
ROCKSDB: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_CHECKPOINTING: Final = "org.apache.spark.sql.execution.streaming.checkpointing"
LOCAL_FILE_MANAGER: Final = f"{_CHECKPOINTING}.FileSystemBasedCheckpointFileManager"
REMOTE_FILE_MANAGER: Final = f"{_CHECKPOINTING}.FileContextBasedCheckpointFileManager"
WITHOUT_CHECKSUMS: Final = ("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.RawLocalFs")
"""The setting with which executors write no `.crc` files on a shared disk: a file and its checksum cannot be renamed at once, so
that they differ if an executor is killed in between."""

DEFAULTS: Final[Mapping[str, str]] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.daemon.module": "eddyline.adapters.spark.process.daemon",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    FILE_MANAGER: LOCAL_FILE_MANAGER,
    "spark.sql.streaming.numRecentProgressUpdates": "100",
    "spark.sql.shuffle.orderIndependentChecksum.enabled": "false",
    "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "32",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}
"""Rows are few and large, so Arrow batches hold few of them. RocksDB saves the changes of a batch, not whole files.
Without its native library Hadoop starts a process for each `chmod` and `readlink` of a checkpoint's files: the file manager that
uses its `FileSystem` needs no `readlink`, and renames as atomically on a local disk. Spark would end a batch in which a task that
is repeated, since its rows were lost with a machine, writes other bytes than before: tasks are deterministic, but their reports
contain times. The first of these two settings alone has no effect. Workers of stateful operators never simplify tracebacks: if
others did, their environment would differ, and Spark would start a second daemon for them."""

_ONE_MACHINE: Final = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
_ONE_PROCESS: Final = {"spark.authenticate": "true"}
"""Without it, any user of the machine could read the block manager and the driver's RPC. Spark creates the secret by itself where
executors are in the process of the driver: https://spark.apache.org/docs/latest/security.html#spark-rpc-communication-protocol-between-spark-processes"""
_LOCAL: Final = re.compile(r"local(\[.*\])?")
_CLUSTER: Final = {"spark.executor.extraJavaOptions": JAVA_OPTIONS}
"""What is different where executors run on other machines: the driver must be reached from there, and they have a Java of their
own, which deserializes the same deep plans and copies the same rows."""

_OF_JAVA: Final = ("spark.driver.memory", "spark.driver.java", "spark.driver.extra", "spark.driver.default")
"""Settings that Java takes when it starts."""
_MODULE_PATH: Final = "spark.executorEnv.PYTHONPATH"
_CHANGED_BY_SUBMIT: Final = frozenset({"spark.app.name", "spark.submit.pyFiles"})


def java_settings(given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings with which Java is started: those of the user, and the defaults that it takes only then."""
    return {JAVA_OPTIONS_SETTING: java_options(), "spark.driver.memory": "2g", **given}


def session_settings(given: Mapping[str, str], found: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a session.

    Args:
        given: The settings of the user.
        found: The settings that Java has when it runs, from spark-defaults.conf for example.
    """
    master = given.get(MASTER) or found.get(MASTER, "local[*]")
    chosen = {**found, **given, MASTER: master}
    by_master = {**_CLUSTER, **package_settings(chosen)} if is_cluster(master) else _ONE_MACHINE
    in_process = _ONE_PROCESS if _LOCAL.fullmatch(master) else {}
    return {**DEFAULTS, **by_master, **in_process, **chosen}


def submitted_settings(given: Mapping[str, str], submitted: Mapping[str, str], module_path: str = "") -> dict[str, str]:
    """Return the settings of a session under spark-submit, whose settings take precedence.

    Warns of each setting of the user that has no effect.

    Args:
        given: The settings of the user.
        submitted: The settings of spark-submit, with those of spark-defaults.conf.
        module_path: Where this process searches for modules. Java has been started without it, and starts the Python processes of
            this machine; executors search in their package first.
    """
    for name, value in given.items():
        if name in submitted and submitted[name] != value:
            LOGGER.warning(
                "setting '%s' is '%s', but spark-submit has '%s', which is used; remove one of the two",
                name,
                value,
                submitted[name],
            )
        elif name not in submitted and name.startswith(_OF_JAVA):
            LOGGER.warning(
                "setting '%s' has no effect, since spark-submit has started Java already; give it to spark-submit: --conf %s=%s",
                name,
                name,
                value,
            )
    effective = {name: value for name, value in given.items() if not name.startswith(_OF_JAVA)}
    kept = {name: value for name, value in submitted.items() if name not in _CHANGED_BY_SUBMIT}
    settings = {**session_settings(effective, submitted), **kept}
    if _MODULE_PATH not in {**effective, **kept}:
        settings[_MODULE_PATH] = ":".join(filter(None, (settings.get(_MODULE_PATH), module_path)))
    return settings
