import pickle
from collections.abc import Callable
from typing import Any

import pytest

from eddyline.domain.trading import Trade
from eddyline.domain.value import above_zero, at_least, not_empty, not_negative, one_of, value


@value
class Shelf:
    books: dict[str, list[int]]
    labels: tuple[Any, ...] = ()


def test_values_with_equal_fields_are_equal_and_have_the_same_hash() -> None:
    assert Trade("ASK", "IBM", 1.5, 3) == Trade("ASK", "IBM", 1.5, 3)
    assert len({Trade("ASK", "IBM", 1.5, 3), Trade("ASK", "IBM", 1.5, 3), Trade("ASK", "IBM", 1.5, 4)}) == 2


def test_a_value_has_no_other_fields_than_its_own() -> None:
    with pytest.raises(AttributeError):
        setattr(Trade("ASK", "IBM", 1.5, 3), "prise", 1.0)  # noqa: B010 - the type checker rejects the plain assignment


def test_a_value_has_a_hash_whatever_it_holds() -> None:
    shelf, same = (Shelf({"a": [1], "b": []}, ({"x": {1, 2}}, [3])) for _ in range(2))
    assert hash(shelf) == hash(same)
    assert len({shelf, same, Shelf({}), Shelf({"a": [1]})}) == 3


def test_the_hash_is_that_of_equal_values_in_another_order() -> None:
    assert len({Shelf({"a": [1], "b": [2]}), Shelf({"b": [2], "a": [1]})}) == 1


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (lambda: above_zero(price=0.0), "price is 0.0; it must be a number above 0"),
        (lambda: above_zero(price=1, fee="1"), "fee is '1'; it must be a number above 0"),
        (lambda: above_zero(price=True), "price is True; it must be a number above 0"),
        (lambda: not_negative(fee=-0.5), "fee is -0.5; it must be a number of at least 0"),
        (lambda: not_negative(fee=float("nan")), "fee is nan; it must be a number of at least 0"),
        (lambda: at_least(2, count=1), "count is 1; it must be a whole number of at least 2"),
        (lambda: at_least(2, count=2.0), "count is 2.0; it must be a whole number of at least 2"),
        (lambda: not_empty(name="\t"), "name is '\\t'; it must be a text that is not empty"),
        (lambda: not_empty(name=None), "name is None; it must be a text that is not empty"),
        (lambda: one_of(("a", "b"), kind="c"), "kind is 'c'; it must be one of: a, b"),
    ],
)
def test_a_rule_that_is_broken_is_named_with_the_value(rule: Callable[[], None], reason: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the text is compared as a whole
        rule()
    assert str(error.value) == reason


def test_rules_that_hold_raise_nothing() -> None:
    above_zero(price=0.01, pieces=1)
    not_negative(fee=0, tax=0.0)
    at_least(2, count=2)
    not_empty(name=" a")
    one_of(("a", "b"), kind="b")


def test_a_value_can_be_pickled() -> None:
    trade = Trade("ASK", "IBM", 1.5, 3)
    assert pickle.loads(pickle.dumps(trade)) == trade
