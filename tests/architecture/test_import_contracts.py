"""Each import contract is kept, and breaks when a module imports what it must not."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NO_CACHES = shutil.ignore_patterns("__pycache__")


def lint_imports(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = (
        "import sys; from importlinter.cli import lint_imports_command; sys.argv[0] = 'lint-imports'; lint_imports_command()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", "--no-logo", *arguments],
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
    """Add a module with an import statement to a folder; remove it at the end of the block."""
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


@pytest.mark.parametrize(
    ("contract", "package", "statement"),
    [
        ("layers", "domain", "import eddyline.application.ports"),
        ("layers", "application/ports", "import eddyline.adapters.settings"),
        ("application", "application/topology", "import eddyline.application.operators"),
        ("application", "application/operators", "import eddyline.application.runtime"),
        ("flows", "application/flows", "import eddyline.application.operators.context"),
        ("adapters", "adapters/memory", "import eddyline.adapters.files"),
        ("adapters", "adapters/files", "import eddyline.adapters.container"),
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


@pytest.mark.parametrize(
    ("contract", "package", "statement", "cycle"),
    [
        ("cycles", "adapters/memory", "import eddyline.adapters.cli", "No cycles are allowed in eddyline.adapters.\n"),
        (
            "runtime-cycles",
            "application/topology",
            "import eddyline.application.operators.context",
            "No cycles are allowed in eddyline.application.\n",
        ),
    ],
)
def test_a_cycle_breaks_the_contract_against_cycles(
    project: Path, contract: str, package: str, statement: str, cycle: str
) -> None:
    assert cycle not in lint_imports(project, "--contract", contract).stdout
    with intruder(project / package, statement):
        result = lint_imports(project, "--contract", contract)
    assert result.returncode == 1
    assert cycle in result.stdout


def test_an_import_for_type_hints_is_no_cycle_at_run_time(project: Path) -> None:
    statement = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import eddyline.application.operators.context"
    with intruder(project / "application/topology", statement):
        result = lint_imports(project, "--contract", "runtime-cycles")
    assert result.returncode == 0
