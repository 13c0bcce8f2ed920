"""The options of Spark's Java, with an archive of its classes if there is one.

Java maps an archive into memory instead of loading and verifying each class, which it calls class data sharing:
https://docs.oracle.com/en/java/javase/17/vm/class-data-sharing.html. It checks itself that the archive fits its version and the
jars by their sizes and times of modification, and starts without it otherwise.
"""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Final

import pyspark
from platformdirs import user_cache_path

JAVA_OPTIONS: Final = "-Xss16m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djdk.lang.Process.launchMechanism=VFORK"
"""The options but for the archive. Java does little but copy rows: without its optimizing compiler (C2) it starts in half the
time and is no slower afterwards. VFORK starts processes without a helper process."""
_QUIET: Final = "-Xlog:cds=off -Xlog:cds+dynamic=off"


def archive_file() -> Path:
    """Return the path of the archive for this Java and these jars of Spark, in the user's folder for caches."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else Path(shutil.which("java") or "java")
    jars = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent, "jars")
    found = ((jar.name, jar.stat()) for jar in jars.glob("*.jar"))
    installed = sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in found)
    program = _digest(java.resolve(), jars, JAVA_OPTIONS)
    return user_cache_path("eddyline") / f"spark-{pyspark.__version__}-{program}-{_digest(installed)}.jsa"


def outdated_archives() -> list[Path]:
    """Return the archives for jars that were at the same place before, and the files beside them."""
    file = archive_file()
    return [other for other in file.parent.glob(f"{file.name.rpartition('-')[0]}-*") if other.stem != file.stem]


def java_options() -> str:
    """Return the options of Java for a session, with the archive if there is one."""
    file = archive_file()
    return f'{JAVA_OPTIONS} {_QUIET} "-XX:SharedArchiveFile={file}"' if file.is_file() else JAVA_OPTIONS


def archiving_options(file: Path) -> str:
    """Return the options with which Java writes an archive of the classes that it has loaded when it exits."""
    return f'{JAVA_OPTIONS} {_QUIET} "-XX:ArchiveClassesAtExit={file}"'


def _digest(*identity: object) -> str:
    return hashlib.sha256(repr(identity).encode()).hexdigest()[:12]
