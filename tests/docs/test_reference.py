"""The reference documents the whole public API, and all of it is described and typed."""

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import eddyline
import eddyline.aggregations
import eddyline.logging
import eddyline.testing
import eddyline.testing.ports
from eddyline.application.operators.context import DropReason
from tests.conformance.recorded import case_paths
from tests.docs.pages import DOCS

MODULES: dict[ModuleType, Path] = {
    eddyline: DOCS / "reference/eddyline.md",
    eddyline.aggregations: DOCS / "reference/aggregations.md",
    eddyline.logging: DOCS / "reference/logging.md",
    eddyline.testing: DOCS / "reference/testing.md",
    eddyline.testing.ports: DOCS / "reference/testing-ports.md",
}
NAMESPACES = {"suppress"}
"""Modules among the public names; the page describes their functions."""
PUBLIC = [(module, name) for module in MODULES for name in module.__all__]
CLASSES = [(module, name) for module, name in PUBLIC if inspect.isclass(getattr(module, name))]


def public_members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public functions and properties of a class, as far as Eddyline defines them."""
    for name, member in inspect.getmembers_static(kind):
        function = getattr(member, "fget", getattr(member, "func", getattr(member, "__func__", member)))
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__.startswith("eddyline."):
            yield name, function


def alias_docstring(module: ModuleType, name: str) -> str | None:
    """Return the docstring below a type alias, in the module that `module` imports it from."""
    imports = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ImportFrom)]
    origin = next(node.module for node in imports if name in {alias.name for alias in node.names})
    statements = ast.parse(inspect.getsource(sys.modules[origin or ""])).body
    for statement, after in pairwise(statements):
        if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == name and isinstance(after, ast.Expr):
            return str(ast.literal_eval(after.value))
    return None


def untyped(function: Any) -> list[str]:
    """Return the parameters of a function that have no annotation, and `return` if its result has none."""
    signature = inspect.signature(function)
    missing = [
        name for name, parameter in signature.parameters.items() if parameter.annotation is parameter.empty and name != "self"
    ]
    return missing + (["return"] if signature.return_annotation is signature.empty else [])


def documented(page: Path) -> dict[str, dict[str, Any]]:
    """Return the names that a page documents, with their options."""
    parts = re.split(r"^::: [a-z.]+\.(\w+)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    options = (re.match(r"(    .*\n|\n(?=    ))*", text) for text in parts[1::2])
    found = (yaml.safe_load(match[0]) if match else None for match in options)
    return {name: (own or {}).get("options", {}) for name, own in zip(parts[::2], found, strict=True)}


@pytest.mark.parametrize(("module", "page"), MODULES.items(), ids=lambda given: getattr(given, "__name__", None))
def test_the_page_documents_every_public_name_once(module: ModuleType, page: Path) -> None:
    names = re.findall(r"^::: ([a-z.]+)\.(\w+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(names) == sorted((module.__name__, name) for name in set(module.__all__) - NAMESPACES)


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_lists_of_members_are_complete(module: ModuleType, name: str) -> None:
    members = documented(MODULES[module])[name].get("members")
    if members:
        assert sorted(members) == sorted(member for member, _ in public_members(getattr(module, name)))


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_every_public_name_is_described(module: ModuleType, name: str) -> None:
    found = getattr(module, name)
    described = inspect.isclass(found) or inspect.isroutine(found) or inspect.ismodule(found)
    assert found.__doc__ if described else alias_docstring(module, name), f"{name} has no docstring"


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_every_public_member_is_described_and_typed(module: ModuleType, name: str) -> None:
    for member, function in public_members(getattr(module, name)):
        assert inspect.getdoc(function), f"{name}.{member} has no docstring"
        assert untyped(function) == [], f"{name}.{member} has parameters without a type"


@pytest.mark.parametrize(("module", "name"), [pair for pair in PUBLIC if inspect.isfunction(getattr(*pair))])
def test_every_public_function_is_typed(module: ModuleType, name: str) -> None:
    assert untyped(getattr(module, name)) == []


@pytest.mark.parametrize(("module", "name"), [pair for pair in CLASSES if issubclass(getattr(*pair), tuple)])
def test_every_field_of_a_named_tuple_is_described(module: ModuleType, name: str) -> None:
    kind = getattr(module, name)
    attributes = (inspect.getdoc(kind) or "").partition("Attributes:\n")[2]
    assert re.findall(r"^ {4}(\w+): ", attributes, re.MULTILINE) == list(kind._fields)


def _first_cells(page: str) -> set[str]:
    """Return the code in the first cells of all tables of a page."""
    return set(re.findall(r"^\| `([^`]+)` \|", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE))


def test_all_extras_are_described() -> None:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]) - {"dev", "docs", "test", "test-core"} == _first_cells("how-to/install.md")


def test_all_reasons_of_dropped_records_are_described() -> None:
    reasons = {value for name, value in vars(DropReason).items() if name.isupper()}
    about_dead_letters = {DropReason.UNDECODABLE, DropReason.PROCESSING_ERROR, DropReason.PRODUCTION_ERROR}
    assert reasons - about_dead_letters <= _first_cells("how-to/dead-letters.md")


def test_the_number_of_recorded_cases_is_that_of_the_docs() -> None:
    cases = list(case_paths())
    stated = f"{len(cases)} cases were run with Kafka Streams 4.3.0: {len({path.parent for path in cases})} topologies"
    assert stated in (DOCS / "explanation/semantics.md").read_text(encoding="utf-8")
