"""ARCHITECTURE.md names paths that exist, and every package."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PATHS = sorted({name for name in re.findall(r"`([^`\s]+)`", TEXT) if "/" in name or name.endswith((".py", ".toml", ".md"))})
PARENTS = ("domain", "application", "application/topology", "adapters", "adapters/spark")


def packages(parent: Path) -> list[str]:
    return sorted(f"{found.parent.relative_to(ROOT)}/" for found in parent.glob("*/__init__.py"))


@pytest.mark.parametrize("path", PATHS)
def test_a_path_exists(path: str) -> None:
    pattern = re.sub(r"<[a-z]+>", "*", path)
    found = list(ROOT.glob(pattern.rstrip("/")))
    assert any(each.is_dir() if pattern.endswith("/") else each.is_file() for each in found), f"{path} does not exist"


@pytest.mark.parametrize("package", [package for parent in PARENTS for package in packages(ROOT / parent)])
def test_a_package_is_named(package: str) -> None:
    general = re.sub(r"^(domain|application/samples)/[a-z]+/$", r"\1/<context>/", package)
    assert {package, general} & set(PATHS) or package == "application/samples/", f"{package} is missing"
