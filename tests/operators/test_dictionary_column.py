"""A column of few distinct values is a sequence like the list of its values."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.operators.dictionary_column import DictionaryColumn


@given(st.lists(st.integers(0, 2), max_size=12), st.slices(12))
def test_it_has_the_values_of_its_records(indexes: list[int], part: slice) -> None:
    column: Any = DictionaryColumn(["a", "b", "c"], indexes)
    expected = ["abc"[index] for index in indexes]
    assert list(column) == expected
    assert len(column) == len(expected)
    assert [column[index] for index in range(len(expected))] == expected
    assert list(column[part]) == expected[part]
    assert column.of([1, 2, 3]) == [index + 1 for index in indexes]


def test_a_part_without_repetition_is_a_list() -> None:
    column = DictionaryColumn(["a", "b", "c"], [0, 1, 2, 0, 1])
    assert isinstance(column[:4], DictionaryColumn)
    assert column[:3] == ["a", "b", "c"]
