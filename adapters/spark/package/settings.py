"""The settings of Spark that bring a package to executors."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ARCHIVES: Final = "spark.archives"
_OF_YARN: Final = "spark.yarn.dist.archives"
FOLDER: Final = "eddyline_package"
"""The folder in which executors find the package, relative to their working directory."""
_STARTUP: Final = f"{FOLDER}/eddyline/adapters/spark/process/startup"


def with_package(settings: Mapping[str, str], package: Path) -> dict[str, str]:
    """Return the settings with a package among the archives that Spark copies to executors and unpacks there."""
    archives = [settings[ARCHIVES]] if settings.get(ARCHIVES) else []
    return {**settings, ARCHIVES: ",".join((*archives, f"{package.absolute()}#{FOLDER}"))}


def package_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings with which the Python of executors finds a package that is among the archives; none without one."""
    archives = f"{settings.get(ARCHIVES, '')},{settings.get(_OF_YARN, '')}".split(",")
    if not any(archive.endswith(f"#{FOLDER}") for archive in archives):
        return {}
    return {
        "spark.executorEnv.PYTHONPATH": f"{_STARTUP}:{FOLDER}",
        "spark.executorEnv.PYTHONSAFEPATH": "1",
        "spark.pyspark.python": python_of_executors(),
    }


def python_of_executors() -> str:
    """Return the command of a Python of this version."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"
