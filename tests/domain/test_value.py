import pickle

import pytest

from eddyline.domain.trading import Trade


def test_values_with_equal_fields_are_equal_and_hash_alike() -> None:
    assert Trade("ASK", "IBM", 1.5, 3) == Trade("ASK", "IBM", 1.5, 3)
    assert len({Trade("ASK", "IBM", 1.5, 3), Trade("ASK", "IBM", 1.5, 3), Trade("ASK", "IBM", 1.5, 4)}) == 2


def test_a_value_takes_no_field_that_it_does_not_have() -> None:
    with pytest.raises(AttributeError):
        setattr(Trade(), "prise", 1.0)  # noqa: B010 - the type checker would refuse the plain assignment


def test_a_value_can_be_sent_to_another_process() -> None:
    trade = Trade("ASK", "IBM", 1.5, 3)
    assert pickle.loads(pickle.dumps(trade)) == trade
