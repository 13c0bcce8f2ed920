"""Joins are typed by callable protocols, but remain plain methods with their own signatures and docstrings."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from eddyline.application.topology import Stream, Table


@pytest.mark.parametrize("handle", [Stream, Table])
@pytest.mark.parametrize("operator", ["join", "left_join", "outer_join"])
def test_a_join_is_a_method_with_a_docstring(handle: type, operator: str) -> None:
    method: Callable[..., Any] = getattr(handle, operator)
    assert inspect.isfunction(method)
    assert method.__name__ == operator
    assert "Args:" in (method.__doc__ or "")


@pytest.mark.parametrize(
    ("handle", "operator", "options"),
    [
        (Stream, "join", ["windows", "condition", "joined", "grace", "key_selector", "value", "with_key", "name"]),
        (Stream, "left_join", ["windows", "condition", "joined", "grace", "key_selector", "value", "with_key", "name"]),
        (Stream, "outer_join", ["windows", "condition", "joined", "value", "with_key", "name"]),
        (Table, "join", ["foreign_key", "value", "with_key", "store", "name"]),
        (Table, "left_join", ["foreign_key", "value", "with_key", "store", "name"]),
        (Table, "outer_join", ["value", "with_key", "store", "name"]),
    ],
)
def test_a_join_shows_its_parameters(handle: type, operator: str, options: list[str]) -> None:
    signature = inspect.signature(getattr(handle, operator))
    assert list(signature.parameters) == ["self", "other", "joiner", *options]
