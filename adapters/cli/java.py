"""Spark needs Java: found before Spark is started, so that its absence is told in plain words."""

import os

from eddyline.adapters.cli.errors import CommandError
from eddyline.adapters.services.errors import MissingToolError
from eddyline.adapters.services.java import find_java

_LEAST = 17


class MissingJavaError(CommandError):
    """There is no Java that Spark can run on; the message says what to install."""


def require_java() -> None:
    """Makes sure that Spark finds a Java that is new enough, by JAVA_HOME where that is not set. Raises MissingJavaError."""
    try:
        java = find_java(_LEAST)
    except MissingToolError as missing:
        found = str(missing).partition(". ")[0]
        raise MissingJavaError(
            f"Spark cannot run: {found}; install one (Debian, Ubuntu: apt install openjdk-17-jre-headless;"
            " macOS: brew install openjdk@17) or set JAVA_HOME, or take --engine memory"
        ) from missing
    os.environ.setdefault("JAVA_HOME", str(java.resolve().parent.parent))
