from collections.abc import Sequence
from typing import Any, Literal

import pytest

from eddyline.adapters.cli.assignments import parse_value
from eddyline.application.flows.flow import Setting


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int, "5", 5),
        (int, "five", "five"),
        (float, "0.5", 0.5),
        (bool, "true", True),
        (int | None, "null", None),
        (str, "5", "5"),
        (str | None, "null", "null"),
        (Literal["stream", "wall"], "wall", "wall"),
        (Sequence[str], '["a", "b"]', ["a", "b"]),
        (Sequence[str], "a, b", ["a", "b"]),
        (tuple[int, ...], "[1, 2]", [1, 2]),
    ],
)
def test_the_text_of_a_setting_is_parsed_as_its_type(kind: Any, text: str, value: object) -> None:
    assert parse_value(Setting("it", kind, None), text) == value
