"""Checks of Spark's settings that need no Java: Java would start, fail and explain it in a log file."""

import re
from pathlib import Path
from typing import Final

_MASTER: Final = re.compile(
    r"local(\[([1-9]\d*|\*)(\s*,\s*[1-9]\d*)?\])?|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]|yarn|spark://\S+|k8s://\S+"
)
"""The URLs that SparkContext of Spark accepts."""


_URI: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:/")


class SparkSettingError(ValueError):
    """A setting of Spark has an invalid value; the message has the setting, the value and the choices."""


def check_master(master: str) -> None:
    """Make sure that Spark accepts the URL of a master.

    Raises:
        SparkSettingError: it does not.
    """
    if not _MASTER.fullmatch(master):
        raise SparkSettingError(
            f"invalid value '{master}' for setting 'spark.master'; choose one of: local, local[N], local[*], "
            "spark://HOST:PORT, yarn, k8s://HOST:PORT"
        )


def is_cluster(master: str) -> bool:
    """Return whether executors may run on other machines than the driver."""
    return not master.startswith("local")


def is_uri(location: Path | str) -> bool:
    """Return whether a location is a URI of Hadoop's file systems, such as `file:///x`, and not the path of a local directory."""
    return isinstance(location, str) and _URI.match(location) is not None
