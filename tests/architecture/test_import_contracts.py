"""Each import contract is kept, and breaks when a module imports what it must not."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.extensive

ROOT = Path(__file__).resolve().parents[2]
NO_CACHES = shutil.ignore_patterns("__pycache__")
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"


def lint_imports(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = (
        "import sys; from importlinter.cli import lint_imports_command; sys.argv[0] = 'lint-imports'; lint_imports_command()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--no-logo", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("project")
    for package in ("eddyline", "domain", "application", "adapters", "tests/architecture"):
        shutil.copytree(ROOT / package, copy / package, symlinks=True, ignore=NO_CACHES)
    shutil.copy(ROOT / "tests/__init__.py", copy / "tests")
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


@contextmanager
def intruder(folder: Path, statement: str) -> Iterator[None]:
    """Add a module with this import statement to a folder for the duration of the block."""
    file = folder / "intruder.py"
    file.write_text(f"{statement}\n")
    try:
        yield
    finally:
        file.unlink()


def test_the_project_keeps_all_its_import_contracts() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("contract", "package", "statement"),
    [
        ("layers", "domain", "import eddyline.application.ports"),
        ("layers", "application/ports", "import eddyline.adapters.settings"),
        ("application", "application/topology", "import eddyline.application.operators"),
        ("application", "application/operators", "import eddyline.application.runtime"),
        ("topology", "application/topology/nodes", "import eddyline.application.topology.graph"),
        ("topology", "application/topology/graph", f"{FOR_TYPES}    import eddyline.application.topology.joins"),
        ("flows", "application/flows", "import eddyline.application.operators.context"),
        ("samples", "application/samples/trading", "from eddyline.application.topology import TopologyBuilder"),
        ("samples", "application/samples/trading", "import eddyline.adapters.memory"),
        ("library", "application/flows", "import eddyline.application.samples.catalogue"),
        ("library", "application/runtime", "import eddyline.domain.trading"),
        ("library", "adapters/spark", "import eddyline.application.samples.catalogue"),
        ("adapters", "adapters/memory", "import eddyline.adapters.files"),
        ("adapters", "adapters/files", "import eddyline.adapters.container"),
        ("cli", "adapters/cli/commands", "import eddyline.adapters.files.event_log"),
        ("third-party", "domain", "import pydantic"),
        ("third-party", "application/runtime", "import pandas"),
        ("third-party", "adapters/memory", "import structlog"),
        ("third-party", "adapters/cli", "from pyspark.sql import SparkSession"),
    ],
)
def test_a_contract_breaks_when_a_package_imports_what_it_must_not(
    project: Path, contract: str, package: str, statement: str
) -> None:
    with intruder(project / package, statement):
        result = lint_imports(project, "--contract", contract)
    assert result.returncode == 1
    assert "intruder" in result.stdout
    assert "1 broken" in result.stdout


@contextmanager
def appended(file: Path, statement: str) -> Iterator[None]:
    """Append a statement to a module for the duration of the block."""
    before = file.read_text()
    file.write_text(f"{before}{statement}\n")
    try:
        yield
    finally:
        file.write_text(before)


@pytest.mark.parametrize(
    ("package", "statement", "cycle"),
    [
        ("adapters/memory", "import eddyline.adapters.cli", "No cycles are allowed in eddyline.adapters.\n"),
        (
            "application/topology",
            f"{FOR_TYPES}    import eddyline.application.operators.context",
            "No cycles are allowed in eddyline.application.\n",
        ),
    ],
)
def test_a_cycle_breaks_the_contract_against_cycles(project: Path, package: str, statement: str, cycle: str) -> None:
    assert cycle not in lint_imports(project, "--contract", "cycles").stdout
    with intruder(project / package, statement):
        result = lint_imports(project, "--contract", "cycles")
    assert result.returncode == 1
    assert cycle in result.stdout


@pytest.mark.parametrize(("condition", "code"), [("", 1), (FOR_TYPES + "    ", 0)])
def test_streams_and_tables_may_import_each_other_for_types_only(project: Path, condition: str, code: int) -> None:
    statement = f"{condition}import eddyline.application.topology.handles.table"
    with appended(project / "application/topology/handles/global_table.py", statement):
        result = lint_imports(project, "--contract", "runtime-cycles")
    assert result.returncode == code
    assert ("No cycles are allowed in eddyline.application.topology.handles.\n" in result.stdout) is bool(code)
