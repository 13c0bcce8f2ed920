"""The path of an element tells which one an iterator has just yielded."""

from collections.abc import Iterable
from typing import Any

import pytest

from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.paths import index_path, key_path


def advanced(elements: Iterable[Any], by: int) -> Any:
    iterator = iter(elements)
    for _ in range(by):
        next(iterator)
    return iterator


@pytest.mark.parametrize(("taken", "path"), [(1, "[0]"), (2, "[1]"), (3, "[2]"), (5, "[4]")])
def test_the_path_of_an_item_has_its_index(taken: int, path: str) -> None:
    items = [10, 20, 30, 40, 50]
    assert index_path(items, advanced(items, taken)) == path


@pytest.mark.parametrize(("taken", "path"), [(1, "['a']"), (2, "['b']"), (4, "['d']")])
def test_the_path_of_an_entry_has_its_key(taken: int, path: str) -> None:
    entries = {"a": 1, "b": 2, "c": 3, "d": 4}
    assert key_path(entries, advanced(entries.items(), taken)) == path


def test_an_iterator_without_a_length_hint_gives_no_index() -> None:
    assert index_path([1, 2], (item for item in [1, 2])) == "[]"
    assert key_path({"a": 1}, (item for item in {"a": 1}.items())) == "[]"


def test_the_path_of_a_field_whose_name_begins_with_a_capital_is_complete() -> None:
    assert str(TypeMismatchError("wrong", ".X.Xx")) == "X.Xx: wrong"
