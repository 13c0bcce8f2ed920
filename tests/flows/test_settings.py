"""The settings of a flow are checked against their annotated types before the topology is built."""

import re
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NewType

import pytest

from eddyline.application.flows.flow import Flow, FlowSettingError
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.graph import with_version
from eddyline.application.topology.types import Emit

ZoneName = NewType("ZoneName", str)
UTC: Final = ZoneName("UTC")
NO_TAGS: Final[list[str]] = []
PAIR: Final = (1, "a")


def define(
    builder: TopologyBuilder,
    *,
    times: int = 1,
    share: float = 0.5,
    loud: bool = False,
    bound: int | None = None,
    kind: Literal["table", "stream"] = "table",
    words: Sequence[str] = (),
    tags: list[str] = NO_TAGS,
) -> None:
    """Forward lines; the settings have no effect."""
    del times, share, loud, bound, kind, words, tags
    builder.stream("lines", key=str, value=str).to("out")


def priced(builder: TopologyBuilder, *, zone: ZoneName = UTC, prices: Mapping[str, float] | None = None) -> None:
    """Forward lines; the settings have types of other kinds."""
    del zone, prices
    define(builder)


FLOW = Flow("lines", "Forwards lines.", define)
PRICED = Flow("priced", "Forwards lines.", priced)


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
        ("tags", ["a"]),
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
        ("tags", [1], r"list\[str\]$"),
    ],
)
def test_the_error_for_another_value_names_the_type_of_the_setting(name: str, value: Any, type_name: str) -> None:
    expected = f"(must be of type|choose one of:) .*{type_name}"
    message = f"invalid value {re.escape(repr(value))} for setting '{name}' of flow 'lines': {expected}"
    with pytest.raises(FlowSettingError, match=message):
        FLOW.topology(**{name: value})


def test_the_members_of_a_mapping_and_new_types_are_not_checked() -> None:
    assert PRICED.topology(zone="Europe/Rome", prices={"IBM": "much"}).sink_topics
    with pytest.raises(FlowSettingError, match=r"invalid value 'IBM' for setting 'prices' .* must be of type .*Mapping"):
        PRICED.topology(prices="IBM")


def paired(
    builder: TopologyBuilder,
    *,
    pair: tuple[int, str] = PAIR,
    numbers: tuple[int, ...] = (),
    names: frozenset[str] = frozenset(),
    anything: typing.List = NO_TAGS,  # type: ignore[type-arg]  # noqa: UP006
) -> None:
    """Forward lines; the settings are collections."""
    del pair, numbers, names, anything
    define(builder)


PAIRED = Flow("paired", "Forwards lines.", paired)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pair", (2, "b")),
        ("pair", [2, "b"]),
        ("numbers", (1, 2, 3)),
        ("names", {"a", "b"}),
        ("names", frozenset({"a"})),
        ("names", ["a"]),
        ("anything", [1, "a"]),
    ],
)
def test_each_element_of_a_collection_is_of_its_own_type(name: str, value: Any) -> None:
    assert PAIRED.topology(**{name: value}).sink_topics


@pytest.mark.parametrize(
    ("name", "value", "type_name"),
    [
        ("pair", (1, 2), r"of type tuple\[int, str\]"),
        ("pair", ("a", "b"), r"of type tuple\[int, str\]"),
        ("pair", (1,), r"of type tuple\[int, str\]"),
        ("pair", (1, "a", "b"), r"of type tuple\[int, str\]"),
        ("pair", "1a", r"of type tuple\[int, str\]"),
        ("numbers", (1, "a"), "a list, written as a,b,c, of which each is an int"),
        ("numbers", {1}, "a list, written as a,b,c, of which each is an int"),
        ("names", {1}, r"of type frozenset\[str\]"),
    ],
)
def test_an_element_of_another_type_is_refused(name: str, value: Any, type_name: str) -> None:
    with pytest.raises(FlowSettingError, match=f"for setting '{name}' of flow 'paired': must be {type_name}"):
        PAIRED.topology(**{name: value})


def test_the_error_for_an_unknown_setting_names_all_settings() -> None:
    with pytest.raises(
        FlowSettingError, match="has no setting 'tims'; choose one of: times, share, loud, bound, kind, words, tags"
    ):
        FLOW.topology(tims=3)


@pytest.mark.parametrize("emit", [None, "latest", "every-update"])
def test_the_topology_emits_as_its_flow_says(emit: Emit | None) -> None:
    assert Flow("lines", "Forwards lines.", define, emit=emit).topology().emit == emit


def test_the_error_for_an_unknown_handler_has_the_choices() -> None:
    with pytest.raises(FlowSettingError) as error:
        Flow("lines", "Forwards lines.", define, production_exception_handler="stop")  # type: ignore[arg-type]
    assert str(error.value) == (
        "production.exception.handler of flow 'lines' is 'stop'; "
        "choose one of: 'fail', 'continue', 'dead-letter', or pass a function"
    )


def test_choices_of_types_are_those_of_the_topology_under_the_names_of_their_settings() -> None:
    by_topic = Flow("lines", "Forwards lines.", define, names={"out": "camelCase"}, types="lax").topology()
    assert by_topic.type_choices == {"names.out": "camelCase", "types": "lax"}
    assert with_version(by_topic, "v2").type_choices == {"names.out-v2": "camelCase", "types": "lax"}
    assert Flow("lines", "Forwards lines.", define, names="camelCase").topology().type_choices == {"names": "camelCase"}


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"names": "snake_case"}, "names of flow 'lines' is 'snake_case'; choose one of: 'as-declared', 'camelCase'"),
        ({"types": {"out": "loose"}}, "types.out of flow 'lines' is 'loose'; choose one of: 'strict', 'lax'"),
    ],
)
def test_an_unknown_choice_of_types_is_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(FlowSettingError, match=re.escape(message)):
        Flow("lines", "Forwards lines.", define, **choices)


def test_a_choice_for_a_topic_that_the_flow_does_not_have_is_refused() -> None:
    flow = Flow("lines", "Forwards lines.", define, names={"line": "camelCase"})
    message = "names of flow 'lines' has a choice for topic 'line', which the flow does not have; did you mean 'lines'?"
    with pytest.raises(FlowSettingError, match=re.escape(message)):
        flow.topology()
