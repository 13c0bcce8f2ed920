"""The jars that a page's Java program needs: the dependencies of the page's `pom.xml`, downloaded once for all runs."""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from eddyline.adapters.services.errors import DownloadError, MissingToolError
from tests.docs.pages import PageError, blocks

CACHE = Path(__file__).resolve().parents[2] / ".services" / "parts"
POM = "pom.xml"


def pom_of(page: Path) -> str:
    """Return the Maven project on a page. Raises PageError if it has none."""
    for block in blocks(page):
        if block.attributes.get("title") == POM:
            return block.content
    raise PageError(f'{page} needs maven, but has no block with title="{POM}"; add one with the page\'s dependencies')


def jars_of(pom: str, cache: Path = CACHE) -> Path:
    """Return the folder with the dependencies of a Maven project.

    They are stored by the checksum of the project. Several processes may ask at the same time: one downloads, the others wait.

    Raises:
        MissingToolError: Maven is not installed.
        DownloadError: Maven cannot download the dependencies.
    """
    folder = cache / f"docs-{hashlib.sha256(pom.encode()).hexdigest()[:12]}"
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with (cache / "docs.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                _download(pom, cache, folder)
    return folder


def _download(pom: str, cache: Path, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingToolError("Maven is needed to download the jars of a page; install it, for example `apt-get install maven`")
    with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as temporary:
        project, libs = Path(temporary, POM), Path(temporary, "libs")
        project.write_text(pom, encoding="utf-8")
        command = [maven, "-B", "-q", "-f", str(project), "dependency:copy-dependencies", f"-DoutputDirectory={libs}"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise DownloadError(f"Maven could not download the jars of a page:\n{(run.stdout + run.stderr).strip()[-2_000:]}")
        libs.rename(folder)
