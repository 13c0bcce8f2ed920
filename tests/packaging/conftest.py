"""Distributions of the project, and fresh environments in which the example projects use them."""

import fcntl
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fixtures.class_archive import WITHOUT_ARCHIVE

ROOT = Path(__file__).resolve().parents[2]
_CONSTRAINTS = ROOT / "constraints.txt"
UV = str(Path(sys.executable).with_name("uv"))


class Distributions(NamedTuple):
    wheel: Path
    sdist: Path


class Environment:
    """A fresh virtual environment and a copy of an example project; `variables` are set for its programs.

    Args:
        folder: where both are created.
        shared: a folder of all processes of a run.
    """

    def __init__(self, folder: Path, shared: Path) -> None:
        self.folder, self.project, self._shared = folder / "env", folder / "project", shared
        self.variables: Mapping[str, str] = {}

    def python(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run the environment's Python in the project's folder."""
        return self.run(self.folder / "bin/python", *words)

    def eddyline(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run the installed command in the project's folder."""
        return self.run(self.folder / "bin/eddyline", *words)

    def mypy(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the environment's type checker on the project; what it caches about Eddyline serves all environments of a run."""
        with locked(self._shared / "mypy") as cache:
            return self.python("-m", "mypy", "--cache-dir", cache, *words)

    def install(self, *requirements: str) -> None:
        """Install distributions in the versions of constraints.txt."""
        found = ("--find-links", _spark_wheels()) if any("spark" in requirement for requirement in requirements) else ()
        uv("pip", "install", "--quiet", "--python", self.folder, "-c", _CONSTRAINTS, *found, *requirements)

    def install_project(self) -> None:
        """Install the project itself, so that its entry points are found."""
        uv("pip", "install", "--quiet", "--python", self.folder, "--no-deps", "-e", self.project)

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        # The tests' own environment must not help: neither its search path nor its interpreter for Spark.
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder), **_java(), **WITHOUT_ARCHIVE, **self.variables}
        return subprocess.run(words, cwd=self.project, capture_output=True, text=True, check=False, env=env)


def new_environment(folder: Path, project: Path, wheel: Path, extras: str, *libraries: str) -> Environment:
    """Install the wheel with extras, and libraries, into a fresh environment next to a copy of a project."""
    made = Environment(folder, wheel.parent.parent)
    uv("venv", "--quiet", "--python", sys.executable, made.folder)
    made.install(f"{wheel}{extras}", *libraries)
    shutil.copytree(project, made.project)
    return made


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Let no other process use a folder meanwhile; it need not exist."""
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def uv(*words: str | Path) -> None:
    """Run uv; its output is shown when it fails."""
    done = subprocess.run([UV, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _spark_wheels() -> Path:
    """Return a folder with the wheel of PySpark, which package indexes have as an sdist only.

    pip keeps the one that it has built for this environment; uv would build it again each time, which takes a minute.
    """
    folder = ROOT / "build/wheels"
    version = importlib.metadata.version("pyspark")
    if not any(folder.glob(f"pyspark-{version}-*.whl")):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as built:
            words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", built, f"pyspark=={version}"]
            subprocess.run(words, check=True)
            for wheel in Path(built).glob("*.whl"):
                wheel.replace(folder / wheel.name)
    return folder


def _java() -> dict[str, str]:
    java = shutil.which("java")
    return {} if java is None else {"JAVA_HOME": str(Path(java).resolve().parent.parent)}


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The sdist of this checkout, and the wheel that is built from it, once for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    with locked((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "distributions") as folder:
        if not folder.is_dir():
            _build(folder)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Distributions(wheel, sdist)


def _build(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as built:
        words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", f"{built}/dist", str(ROOT)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        Path(built, "dist").rename(folder)


@pytest.fixture(scope="session")
def takings(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The example project, whose packages are named as ours are, with Eddyline installed without extras."""
    libraries = ("mypy", "pytest", "pytest-bdd")
    return new_environment(tmp_path_factory.mktemp("takings"), ROOT / "examples/takings", distributions.wheel, "", *libraries)
