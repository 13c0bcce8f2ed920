"""Creates the environments of the peers in `build/peers`, which need pip packages and jars that Eddyline does not need."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "build" / "peers"
HERE: Final = Path(__file__).resolve().parent

_PACKAGES: Final = {
    "bytewax": ("bytewax[kafka]==0.21.1",),
    "flink": ("apache-flink==2.3.0",),
    "quix": ("quixstreams==3.28.1",),
    "pathway": ("pathway==0.33.0",),
    "py-spy": ("py-spy==0.4.3",),
    "hand": ("confluent-kafka==2.16.1", "msgspec==0.22.0"),
}
_CONNECTORS: Final = {
    "spark": (
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
        "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
        "org.apache.kafka:kafka-clients:3.9.2",
        "org.apache.commons:commons-pool2:2.13.1",
    ),
    "flink": ("org.apache.flink:flink-sql-connector-kafka:5.0.0-2.2",),
}


def python(peer: str) -> Path:
    """Return the interpreter of a peer with its packages, which are installed if necessary."""
    folder = FOLDER / peer
    interpreter = folder / "bin" / "python"
    if not (folder / ".installed").exists():
        uv = Path(sys.executable).with_name("uv")
        _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder)
        _run(uv, "pip", "install", "--quiet", "--python", interpreter, *_PACKAGES[peer])
        (folder / ".installed").touch()
    return interpreter


def connectors(peer: str) -> list[Path]:
    """Return the jars with which a peer reads and writes Kafka, which are downloaded if necessary."""
    folder = FOLDER / f"{peer}-jars"
    if not (folder / ".installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        for artifact in _CONNECTORS[peer]:
            _run(_maven(), "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}")
        (folder / ".installed").touch()
    return sorted(folder.glob("*.jar"))


def kafka_streams() -> str:
    """Return the class path of the Kafka Streams program, which is compiled if it has changed."""
    target, project = FOLDER / "kafka-streams", HERE / "kafka_streams"
    installed = target / ".installed"
    changed = max(path.stat().st_mtime for path in (project / "pom.xml", *project.rglob("*.java")))
    if not installed.exists() or installed.stat().st_mtime < changed:
        _run(_maven(), "-q", "-B", "-f", project / "pom.xml", f"-Dbuild.folder={target}", "package")
        installed.touch()
    return f"{target}/classes:{target}/libs/*"


def _maven() -> str:
    found = shutil.which("mvn")
    if found is None:
        raise SystemExit("error: the peers need Maven (Debian, Ubuntu: apt install maven)")
    return found


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True)  # noqa: S603 - no part is user input
