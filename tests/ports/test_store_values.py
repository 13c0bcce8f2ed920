from dataclasses import dataclass
from typing import Any

import pytest

from eddyline.application.ports import store_values
from eddyline.application.ports.store_values import own_copy


@dataclass(frozen=True)
class Fixed:
    number: int


@dataclass
class Changing:
    numbers: list[int]


@pytest.fixture
def _no_type_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_values, "_SHARED", {})


@pytest.mark.usefixtures("_no_type_is_known")
@pytest.mark.parametrize("value", ["text", b"bytes", 7, 7.5, True, None, Fixed(7), (7, "text"), (Fixed(7), None)])
def test_values_that_nobody_can_change_are_shared(value: Any) -> None:
    assert own_copy(value) is value


@pytest.mark.usefixtures("_no_type_is_known")
@pytest.mark.parametrize("value", [[7], {"a": 7}, Changing([7]), (7, [8]), ([8], 7), {7}])
def test_of_values_that_can_be_changed_each_reader_has_its_own_copy(value: Any) -> None:
    copied = own_copy(value)
    assert copied == value
    assert copied is not value
