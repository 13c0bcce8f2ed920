"""Fetches the parts of the services with Maven, once, into a cache folder."""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eddyline.adapters.services.errors import DownloadError, MissingToolError, ServiceError

_DESCRIPTIONS = Path(__file__).with_name("maven")


class Artifacts:
    """The jars of the broker and the program of the registry.

    `cache` is the folder that keeps them; `descriptions` holds the Maven projects `broker.xml` and `registry.xml`, by
    default those of this package. A changed description is fetched anew beside the old one.
    Several processes may ask at once: one fetches, the others wait.
    """

    def __init__(self, cache: Path, descriptions: Path = _DESCRIPTIONS) -> None:
        self._cache = cache.resolve()
        self._descriptions = descriptions

    def broker(self) -> Path:
        """The folder with the jars of the broker. Raises MissingToolError, DownloadError."""
        return self._folder("broker", "copy-dependencies")

    def registry(self) -> Path:
        """The folder with the registry's `quarkus-run.jar`. Raises MissingToolError, DownloadError."""
        return self._folder("registry", "unpack-dependencies")

    def _folder(self, service: str, goal: str) -> Path:
        description = self._descriptions / f"{service}.xml"
        if not description.is_file():
            raise ServiceError(f"{description} is missing; reinstall eddyline, whose package contains it")
        digest = hashlib.sha256(description.read_bytes()).hexdigest()[:12]
        folder = self._cache / f"{service}-{digest}"
        if not folder.is_dir():
            self._cache.mkdir(parents=True, exist_ok=True)
            with _lock(self._cache / f"{service}.lock"):
                if not folder.is_dir():
                    self._fetch(description, goal, folder)
        return folder

    def _fetch(self, description: Path, goal: str, folder: Path) -> None:
        maven = shutil.which("mvn")
        if maven is None:
            raise MissingToolError(
                f"Maven is needed to fetch the {description.stem}, and `mvn` is not on the search path. "
                "Install it with `apt-get install maven`"
            )
        with tempfile.TemporaryDirectory(dir=self._cache, prefix="fetching-") as scratch:
            parts = Path(scratch, "parts")
            command = [maven, "-B", "-q", "-f", str(description), f"dependency:{goal}", f"-DoutputDirectory={parts}"]
            command.append(f"-DmarkersDirectory={Path(scratch, 'markers')}")
            run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - made here, of paths that were found
            if run.returncode != 0 or not parts.is_dir():
                end = "\n".join((run.stdout + run.stderr).strip().splitlines()[-8:])
                raise DownloadError(f"Maven could not fetch what {description} names; check the network and try again:\n{end}")
            parts.rename(folder)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
