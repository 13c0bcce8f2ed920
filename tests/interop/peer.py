"""A Java program with the serdes of Kafka and Apicurio, which is built once and then serves requests line by line."""

import base64
import fcntl
import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

from eddyline.adapters.services.errors import DownloadError, MissingToolError
from eddyline.adapters.services.java import find_java

Serde: TypeAlias = dict[str, Any]
"""Specifies a serde: its `type`, and the options of that type. SerdeFactory.java has the types."""

_SOURCES = Path(__file__).resolve().parent / "java"
_JAVA_VERSION = 17


def build(cache: Path) -> Path:
    """Build the program if its sources have changed.

    Args:
        cache: The folder that keeps built programs.

    Returns:
        The folder with the program and its libraries.

    Raises:
        MissingToolError: Maven or a JDK is missing.
        DownloadError: The build failed.
    """
    digest = hashlib.sha256()
    for source in sorted(path for path in _SOURCES.rglob("*") if path.suffix in {".java", ".xml"}):
        digest.update(source.read_bytes())
    folder = cache / f"interop-{digest.hexdigest()[:12]}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "interop.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _build(cache, folder)
    return folder


def _build(cache: Path, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None or shutil.which("javac") is None:
        raise MissingToolError(
            "Maven and a JDK are needed to build tests/interop; `apt-get install maven openjdk-17-jdk-headless`"
        )
    with tempfile.TemporaryDirectory(dir=cache, prefix="building-") as scratch:
        target = Path(scratch, "target")
        command = [maven, "-B", "-q", "-f", str(_SOURCES / "pom.xml"), f"-Dbuild.folder={target}"]
        run = subprocess.run([*command, "compile", "dependency:copy-dependencies"], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise DownloadError(f"Maven could not build {_SOURCES}:\n{(run.stdout + run.stderr).strip()[-2_000:]}")
        target.rename(folder)


class JavaError(Exception):
    """A request that the Java program could not fulfil; the message has its exceptions, from the outermost to the cause."""


class JavaPeer:
    """A running Java program."""

    def __init__(self, program: Path) -> None:
        command = [
            str(find_java(_JAVA_VERSION)),
            "-Xmx256m",
            "-cp",
            f"{program}/classes:{program}/libs/*",
            "eddyline.interop.Main",
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def request(self, action: str, **arguments: Any) -> dict[str, Any]:
        """Return the response to a request. Raises JavaError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"action": action, **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise JavaError("the Java program has exited")
        response: dict[str, Any] = json.loads(line)
        if "error" in response:
            raise JavaError(response["error"])
        return response

    def deserialize(self, serde: Serde, data: bytes) -> Any:
        """Return the value that the serde reads from the bytes, as JSON."""
        return self.request("deserialize", serde=serde, bytes=base64.b64encode(data).decode())["value"]

    def serialize(self, serde: Serde, value: Any, topic: str = "t") -> bytes:
        """Return the bytes that the serde writes for the value, which is given as JSON."""
        return base64.b64decode(self.request("serialize", serde=serde, value=value, topic=topic)["bytes"])

    def close(self) -> None:
        """End the program."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(120)
