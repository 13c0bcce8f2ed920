"""The settings of a flow are checked against their annotated types before the topology is built."""

import re
from collections.abc import Sequence
from typing import Any, Literal

import pytest

from eddyline.application.flows.flow import Flow, FlowSettingError
from eddyline.application.topology import TopologyBuilder


def define(
    builder: TopologyBuilder,
    *,
    times: int = 1,
    share: float = 0.5,
    loud: bool = False,
    bound: int | None = None,
    kind: Literal["table", "stream"] = "table",
    words: Sequence[str] = (),
) -> None:
    """Forward lines; the settings have no effect."""
    del times, share, loud, bound, kind, words
    builder.stream("lines", key=str, value=str).to("out")


FLOW = Flow("lines", "Forwards lines.", define)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("times", 3),
        ("share", 1),
        ("share", 0.25),
        ("loud", True),
        ("bound", 5),
        ("bound", None),
        ("kind", "stream"),
        ("words", ["a", "b"]),
    ],
)
def test_a_value_of_the_annotated_type_is_accepted(name: str, value: Any) -> None:
    assert FLOW.topology(**{name: value}).source_topics[0].name == "lines"


@pytest.mark.parametrize(
    ("name", "value", "type_name"),
    [
        ("times", "3", "int"),
        ("times", True, "int"),
        ("share", "much", "float"),
        ("loud", 1, "bool"),
        ("bound", "5", r"int \| None"),
        ("bound", True, r"int \| None"),
        ("kind", "tree", "'table', 'stream'"),
        ("words", "abc", "Sequence"),
        ("words", [1], "Sequence"),
    ],
)
def test_the_error_for_another_value_names_the_type_of_the_setting(name: str, value: Any, type_name: str) -> None:
    expected = f"(must be of type|choose one of:) .*{type_name}"
    message = f"invalid value {re.escape(repr(value))} for setting '{name}' of flow 'lines': {expected}"
    with pytest.raises(FlowSettingError, match=message):
        FLOW.topology(**{name: value})


def test_the_error_for_an_unknown_setting_names_all_settings() -> None:
    with pytest.raises(FlowSettingError, match="has no setting 'tims'; choose one of: times, share, loud, bound, kind, words"):
        FLOW.topology(tims=3)
