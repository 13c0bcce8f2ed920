from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest

from eddyline import Flow, FlowSettingError, TopologyBuilder
from eddyline.adapters.cli.assignments import parse_value
from eddyline.application.flows.flow import Setting


class Side(Enum):
    BUY = "buy"
    SELL = "sell"


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
        (timedelta, "1h30m", timedelta(minutes=90)),
        (timedelta | None, "500ms", timedelta(milliseconds=500)),
        (timedelta | None, "null", None),
        (timedelta, "soon", "soon"),
        (Decimal, "9.99", Decimal("9.99")),
        (Side, "buy", Side.BUY),
        (Side, "SELL", Side.SELL),
        (Side, "hold", "hold"),
        (Path, "models/latest", Path("models/latest")),
        (date, "2026-03-01", date(2026, 3, 1)),
        (datetime, "2026-03-01T12:00:00+00:00", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (list[timedelta], "10s, 1m", [timedelta(seconds=10), timedelta(minutes=1)]),
        (tuple[Decimal, ...], "[1.5, 2]", [Decimal("1.5"), Decimal(2)]),
        (Sequence[Side], '["buy", "SELL"]', [Side.BUY, Side.SELL]),
        (frozenset[date], "2026-03-01", [date(2026, 3, 1)]),
        (list[int], "1, 2", [1, 2]),
        (tuple[float, ...], "0.5", [0.5]),
        (Sequence[bool], "true,false", [True, False]),
        (list[int] | None, "null", None),
        (list[Decimal | None], "0.10,null", [Decimal("0.10"), None]),
        (list[int], "1,a", [1, "a"]),
    ],
)
def test_the_text_of_a_setting_is_parsed_as_its_type(kind: Any, text: str, value: object) -> None:
    assert parse_value(Setting("it", kind, None), text) == value


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        (timedelta, "must be a duration, written as 500ms, 10m or 1h30m"),
        (timedelta | None, "must be a duration, written as 500ms, 10m or 1h30m"),
        (Decimal, "must be a decimal number, written as 9.99"),
        (date, "must be a date, written as 2026-03-01"),
        (datetime, "must be a date and time, written as 2026-03-01T12:00:00+00:00"),
        (Side, "must be one of: BUY, SELL"),
        (list[timedelta], "must be a list, written as a,b,c, of which each is a duration, written as 500ms, 10m or 1h30m"),
        (int, "must be of type int"),
        (bool, "must be of type bool, written as true or false"),
        (list[int], "must be a list, written as a,b,c, of which each is an int"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_the_accepted_form(kind: Any, form: str) -> None:
    def define(builder: TopologyBuilder, *, it: Any = None) -> None:
        builder.stream("in", key=str, value=str).to(str(it))

    define.__annotations__["it"] = kind
    flow = Flow("f", "Does something.", define)
    value = parse_value(flow.settings["it"], "soon")
    with pytest.raises(FlowSettingError) as error:
        flow.topology(it=value)
    assert str(error.value) == f"invalid value {value!r} for setting 'it' of flow 'f': {form}"
