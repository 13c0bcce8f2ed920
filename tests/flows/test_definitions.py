"""Mistakes in the definition of a flow are found when it is created, not when a setting has no effect."""

from collections.abc import Callable
from typing import Any

import pytest

from eddyline import Flow, FlowSettingError, TopologyBuilder


def positional(builder: TopologyBuilder, limit: int = 3) -> None:
    builder.stream("lines", key=str, value=str).filter(lambda _key, value: len(value) > limit).to("long")


def no_builder(*, limit: int = 3) -> None:
    del limit


def required(builder: TopologyBuilder, *, limit: int) -> None:
    positional(builder, limit)


def unannotated(builder: TopologyBuilder, *, limit=3) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001 - the case
    positional(builder, int(limit))


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (
            positional,
            (
                "flow 'f': parameter 'limit' of function 'positional' is not keyword-only, so it is no setting; "
                "put it after '*': def positional(builder, *, limit=…)"
            ),
        ),
        (
            no_builder,
            "flow 'f': function 'no_builder' must take a TopologyBuilder as its first argument: def no_builder(builder)",
        ),
        (3, "flow 'f' is defined by 3; pass a function that takes a TopologyBuilder"),
    ],
)
def test_a_function_that_cannot_define_a_flow_is_refused(define: Callable[..., None], message: str) -> None:
    with pytest.raises(FlowSettingError) as error:
        Flow("f", "Does something.", define)
    assert str(error.value) == message


def test_a_flow_emits_the_latest_or_every_update() -> None:
    emit: Any = "sometimes"
    with pytest.raises(FlowSettingError, match="emit of flow 'f' is 'sometimes'; choose one of: 'latest', 'every-update'"):
        Flow("f", "Does something.", required, emit=emit)


def test_a_setting_without_a_default_must_be_given() -> None:
    flow = Flow("f", "Does something.", required)
    with pytest.raises(FlowSettingError, match="setting 'limit' of flow 'f' has no default; pass a value for it"):
        flow.topology()
    assert flow.topology(limit=1).source_topics[0].name == "lines"


def test_a_setting_without_an_annotation_takes_any_value() -> None:
    assert Flow("f", "Does something.", unannotated).topology(limit="7").source_topics[0].name == "lines"
