import email
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest

from tests.packaging.conftest import ROOT, Distributions

pytestmark = pytest.mark.environments


def test_the_wheel_contains_one_package(distributions: Distributions) -> None:
    with ZipFile(distributions.wheel) as wheel:
        names = wheel.namelist()
    assert {PurePosixPath(name).parts[0].partition("-")[0] for name in names} == {"eddyline"}
    assert {name for name in names if name.endswith((".feature", ".toml")) or "/tests/" in name} == set()


def test_the_wheel_contains_every_module_and_what_they_need(distributions: Distributions) -> None:
    rooms = ("domain", "application", "adapters")
    files = [file for room in rooms for file in (ROOT / room).rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    expected = {f"eddyline/{file.relative_to(ROOT)}" for file in files}
    expected |= {
        "eddyline/__init__.py",
        "eddyline/__main__.py",
        "eddyline/aggregations.py",
        "eddyline/logging.py",
        "eddyline/testing/__init__.py",
        "eddyline/testing/ports.py",
        "eddyline/py.typed",
    }
    with ZipFile(distributions.wheel) as wheel:
        assert {name for name in wheel.namelist() if name.startswith("eddyline/")} == expected
    assert "eddyline/adapters/services/maven/broker.xml" in expected


def test_the_metadata_are_complete(distributions: Distributions) -> None:
    with ZipFile(distributions.wheel) as wheel:
        (path,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(wheel.read(path))
        assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel.namelist())
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert all(metadata[field] for field in ("Name", "Version", "Summary", "Author", "Keywords", "Description-Content-Type"))
    assert {"spark", "kafka", "avro", "web", "all"} <= set(metadata.get_all("Provides-Extra", []))
    unbounded = [line for line in metadata.get_all("Requires-Dist", []) if "==" in line.partition(";")[0]]
    assert unbounded == []


def test_the_sdist_contains_what_a_build_and_the_tests_need(distributions: Distributions) -> None:
    with tarfile.open(distributions.sdist) as sdist:
        members = {member.name.partition("/")[2]: member for member in sdist.getmembers()}
    assert not any(member.issym() or member.islnk() for member in members.values())
    files = {
        "LICENSE",
        "README.md",
        "ARCHITECTURE.md",
        "SECURITY.md",
        "pyproject.toml",
        "constraints.txt",
        "Makefile",
        "mkdocs.yml",
    }
    assert files | {"eddyline/domain/__init__.py"} <= set(members)
    for folder in ("features/", "tests/", "docs/", "examples/"):
        assert any(name.startswith(folder) for name in members), folder


def test_a_checkout_without_symbolic_links_is_refused(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "eddyline").mkdir()
    for name in ("adapters", "application", "domain"):
        (tmp_path / "eddyline" / name).write_text(f"../{name}")
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    built = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode != 0
    assert "eddyline/adapters, eddyline/application, eddyline/domain: no links to folders" in built.stderr
    assert list(tmp_path.rglob("*.whl")) == []
