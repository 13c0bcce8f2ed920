"""Downloads the programs of the services with Maven, once, into a cache folder."""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eddyline.adapters.services.errors import DownloadError, MissingToolError, ServiceError

_MAVEN_PROJECTS = Path(__file__).with_name("maven")


class Artifacts:
    """The jars of the broker and the program of the schema registry.

    They are stored by the checksum of their Maven project, so a changed project is downloaded again. Several processes may
    call the methods at the same time: one downloads, the others wait.

    Args:
        cache: The folder to store the downloads in.
        projects: The folder with the Maven projects, by default `broker.xml` and `registry.xml` of this package.
    """

    def __init__(self, cache: Path, projects: Path = _MAVEN_PROJECTS) -> None:
        self._cache = cache.resolve()
        self._projects = projects

    def broker(self) -> Path:
        """Return the folder with the jars of the broker. Raises MissingToolError and DownloadError."""
        return self.jars("broker")

    def jars(self, project: str) -> Path:
        """Return the folder with the jars of the project with this name. Raises MissingToolError and DownloadError."""
        return self._folder(project, "copy-dependencies")

    def registry(self) -> Path:
        """Return the folder with the registry's `quarkus-run.jar`. Raises MissingToolError and DownloadError."""
        return self._folder("registry", "unpack-dependencies")

    def _folder(self, service: str, goal: str) -> Path:
        project = self._projects / f"{service}.xml"
        if not project.is_file():
            raise ServiceError(f"'{project}' is missing; reinstall eddyline, whose package contains it")
        checksum = hashlib.sha256(project.read_bytes()).hexdigest()[:12]
        folder = self._cache / f"{service}-{checksum}"
        if not folder.is_dir():
            self._cache.mkdir(parents=True, exist_ok=True)
            with _lock(self._cache / f"{service}.lock"):
                if not folder.is_dir():
                    self._download(project, goal, folder)
        return folder

    def _download(self, project: Path, goal: str, folder: Path) -> None:
        maven = shutil.which("mvn")
        if maven is None:
            raise MissingToolError(
                f"Maven is needed to download the {project.stem}, but `mvn` is not on the PATH; install it, for example with"
                " `apt-get install maven`"
            )
        with tempfile.TemporaryDirectory(dir=self._cache, prefix="download-") as temporary:
            parts = Path(temporary, "parts")
            command = [
                maven,
                "-B",
                "-q",
                "--strict-checksums",
                "-f",
                str(project),
                f"dependency:{goal}",
                f"-DoutputDirectory={parts}",
            ]
            command.append(f"-DmarkersDirectory={Path(temporary, 'markers')}")
            run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - no part is user input
            if run.returncode != 0 or not parts.is_dir():
                end = "\n".join((run.stdout + run.stderr).strip().splitlines()[-8:])
                raise DownloadError(f"Maven could not download the {project.stem}; check the network and try again:\n{end}")
            parts.rename(folder)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
