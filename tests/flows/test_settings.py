"""A flow's settings are checked by their annotated types before anything is built."""

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
    """Passes lines on; the settings are there to be set."""
    del times, share, loud, bound, kind, words
    builder.stream("lines", key=str, value=str).to("out")


FLOW = Flow("lines", "Passes lines on.", define)


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
def test_a_value_of_the_annotated_type_is_taken(name: str, value: Any) -> None:
    assert FLOW.topology(**{name: value}).source_topics[0].name == "lines"


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
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
def test_another_value_is_refused_with_the_type_that_the_setting_takes(name: str, value: Any, wanted: str) -> None:
    refused = f"setting '{name}' of flow 'lines' takes .*{wanted}.*, not .* of type {type(value).__name__}"
    with pytest.raises(FlowSettingError, match=refused):
        FLOW.topology(**{name: value})


def test_a_setting_that_there_is_not_is_named_with_those_that_there_are() -> None:
    with pytest.raises(FlowSettingError, match="has no setting 'tims'; it has: times, share, loud, bound, kind, words"):
        FLOW.topology(tims=3)
