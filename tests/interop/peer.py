"""A Java program with Kafka's and Apicurio's own serdes: built once into a cache, asked line by line."""

import base64
import fcntl
import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from eddyline.adapters.services.errors import DownloadError, MissingToolError
from eddyline.adapters.services.java import find_java

_SOURCES = Path(__file__).resolve().parent / "java"
_JAVA_VERSION = 17


def build(cache: Path) -> Path:
    """The folder with the program and its libraries; changed sources are built anew. Raises MissingToolError, DownloadError."""
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
    """The Java program could not do it; the message has the exceptions from the outermost to the cause."""


class JavaPeer:
    """The running program."""

    def __init__(self, program: Path) -> None:
        command = [
            str(find_java(_JAVA_VERSION)),
            "-Xmx256m",
            "-cp",
            f"{program}/classes:{program}/libs/*",
            "eddyline.interop.Main",
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, what: str, **question: Any) -> dict[str, Any]:
        """The answer. Raises JavaError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": what, **question}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise JavaError("the Java program ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise JavaError(answer["error"])
        return answer

    def read(self, form: dict[str, Any], data: bytes) -> Any:
        """What Java reads from the bytes."""
        return self.ask("read", **form, bytes=base64.b64encode(data).decode())["value"]

    def write(self, form: dict[str, Any], value: Any) -> bytes:
        """What Java writes for the value."""
        return base64.b64decode(self.ask("write", **form, value=value)["bytes"])

    def close(self) -> None:
        """Ends the program."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)
