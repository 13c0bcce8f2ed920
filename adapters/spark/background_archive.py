"""Has the archive of Java classes created by a process of its own, if a session on this machine would start faster with one."""

import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from pyspark import SparkContext

from eddyline.adapters.spark.archive_files import ArchiveFiles
from eddyline.adapters.spark.driver.java import is_submitted, module_path
from eddyline.adapters.spark.driver.session_settings import JAVA_OPTIONS_SETTING, LOGGER
from eddyline.adapters.spark.settings import is_cluster

_COMMAND: Final = ("-m", "eddyline", "prepare-spark")
_SETTINGS: Final = "EDDYLINE_"
_LOWEST_PRIORITY: Final = 19
_OF_LINUX: Final = {"autogroup": _LOWEST_PRIORITY, "oom_score_adj": 1_000}
"""A session may have a priority of its own, and its processes are the first that the kernel kills when memory runs out."""
_FREE_BYTES: Final = 1 << 30
"""Is to be free where the archive goes, so that it never takes the last space that a run needs."""


def archive_in_background(given: Mapping[str, str]) -> Path | None:
    """Start a process that archives Spark's Java classes, if there is no archive for the Java of the active session.

    An attempt that failed is not repeated for a day, unless `eddyline prepare-spark` does so. Problems are logged and not raised.

    Args:
        given: The settings of Spark that the user has chosen.

    Returns:
        The path of the archive if a process was started.
    """
    if not _uses_archive(given):
        return None
    files = ArchiveFiles.of_this_spark()
    try:
        if files.archive.is_file():
            return None
        failure = files.recent_failure()
        if failure is not None:
            LOGGER.debug("Spark's Java classes are not archived, which failed within the last day: %s", failure)
            return None
        with files.locked(wait=False):
            return _started(files)
    except OSError as error:
        LOGGER.debug("Spark's Java classes cannot be archived in the background: %s", error)
        return None


def _uses_archive(given: Mapping[str, str]) -> bool:
    """Return whether this process has started a Java whose options have the archive, for executors on this machine."""
    context = SparkContext._active_spark_context  # noqa: SLF001 - the only way to know without starting one
    if context is None or is_submitted() or JAVA_OPTIONS_SETTING in given:
        return False
    return not is_cluster(str(context.master))


def _started(files: ArchiveFiles) -> Path | None:
    folder = files.archive.parent
    if files.archive.is_file() or files.recent_failure() is not None:
        return None  # another process has created it meanwhile, or begins to
    if shutil.disk_usage(folder).free < _FREE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    files.write_failure(f"started in the background by process {os.getpid()}, and has not ended")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
    with files.log.open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - this interpreter and this package
            [sys.executable, *_COMMAND],
            cwd=folder,
            env={**kept, "PYTHONPATH": module_path()},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _let_others_go_first(process.pid)
    threading.Thread(target=process.wait, name="archive-classes", daemon=True).start()
    return files.archive


def _let_others_go_first(process: int) -> None:
    """Give a process, which leads a session, the lowest claim to processors and memory; its own processes inherit it."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, _LOWEST_PRIORITY)
    for name, value in _OF_LINUX.items():
        with suppress(OSError):  # there is no such file
            Path(f"/proc/{process}/{name}").write_text(str(value), encoding="ascii")
