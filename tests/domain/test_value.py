import pickle

import pytest

from eddyline.domain.trading import Trade


def test_values_with_equal_fields_are_equal_and_have_the_same_hash() -> None:
    assert Trade("ASK", "IBM", 1.5, 3) == Trade("ASK", "IBM", 1.5, 3)
    assert len({Trade("ASK", "IBM", 1.5, 3), Trade("ASK", "IBM", 1.5, 3), Trade("ASK", "IBM", 1.5, 4)}) == 2


def test_a_value_has_no_other_fields_than_its_own() -> None:
    with pytest.raises(AttributeError):
        setattr(Trade(), "prise", 1.0)  # noqa: B010 - the type checker rejects the plain assignment


def test_a_value_can_be_pickled() -> None:
    trade = Trade("ASK", "IBM", 1.5, 3)
    assert pickle.loads(pickle.dumps(trade)) == trade
