"""The estimated size of keys and values."""

from dataclasses import dataclass
from typing import Any

import pytest

from eddyline.application.operators.byte_size import byte_size
from eddyline.application.topology.windows import Window, Windowed


@dataclass(frozen=True)
class Order:
    customer: str
    total: float


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (None, 0),
        ("é", 2),
        (b"abc", 3),
        (True, 1),
        (7, 8),
        (0.5, 8),
        (Windowed("ab", Window(0, 10)), 10),
        ({"a": 1, "bc": None}, 11),
        (["a", ("b", 1)], 10),
        (Order("ann", 2.0), 11),
        (1j, 2),
    ],
)
def test_the_size_is_that_of_the_contents(value: Any, size: int) -> None:
    assert byte_size(value) == size
