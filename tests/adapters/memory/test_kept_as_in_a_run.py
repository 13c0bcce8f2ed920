"""The memory engine shows what a run does with values in repartition topics and in state, without codecs and with them."""

from dataclasses import dataclass
from typing import Any

import pytest

from eddyline import TopologyBuilder
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.ports.codec import CodecError, Codecs
from eddyline.application.topology.forms import same
from tests.topology.kept_types import KEPT, REFUSED, Paid, Placed

pytestmark = pytest.mark.parametrize("codecs", [None, JsonCodecs()])


class _Piped:
    """A value that is not encoded before the flow has it."""

    value: Any = None

    def take(self, _text: str) -> Any:
        return self.value


def _engine(declared: Any, codecs: Codecs | None) -> tuple[MemoryEngine, _Piped]:
    builder, piped = TopologyBuilder(), _Piped()
    seen = builder.stream("in", key=str, value=str).map_values(piped.take, value=declared)
    table = seen.group_by(lambda key, _value: key, key=str, name="by").aggregate(
        lambda: None, lambda _old, value: value, value=declared, store="kept"
    )
    table.to_stream().map_values(repr).to("out")
    return MemoryEngine(builder.build(), codecs=codecs), piped


@pytest.mark.parametrize(("declared", "value"), KEPT)
def test_a_value_crosses_a_repartition_and_stays_in_a_store_as_it_was(declared: Any, value: Any, codecs: Codecs | None) -> None:
    engine, piped = _engine(declared, codecs)
    piped.value = value
    for timestamp in range(2):
        engine.pipe("in", "a", "text", timestamp)
    (row,) = engine.store("kept")
    assert same(row.value, value)


@pytest.mark.parametrize(("declared", "value", "reason"), [one for one in REFUSED if one[1] != "\ud800"])
def test_a_value_that_a_run_refuses_is_refused(declared: Any, value: Any, reason: str, codecs: Codecs | None) -> None:
    engine, piped = _engine(declared, codecs)
    piped.value = value
    with pytest.raises(CodecError, match=f"operator 'by-repartition-sink' cannot write .*{reason}"):
        engine.pipe("in", "a", "text", 0)


def test_a_value_of_another_class_in_state_is_refused_after_the_record_that_put_it_there(codecs: Codecs | None) -> None:
    builder = TopologyBuilder()
    events = builder.stream("in", key=str, value=str).group_by_key()
    paid: Any = Paid("a")
    events.aggregate(lambda: Placed("a"), lambda old, event: paid if event == "pay" else old, value=Placed, store="orders")
    engine = MemoryEngine(builder.build(), codecs=codecs)
    engine.pipe("in", "a", "place", 0)
    with pytest.raises(CodecError, match=r"store 'orders' cannot keep the value of key 'a': .*expected Placed, found Paid"):
        engine.pipe("in", "a", "pay", 1)


@dataclass(frozen=True)
class Labels:
    names: frozenset[str]
    size: float


def test_equal_keys_are_one_row_and_go_to_one_task(codecs: Codecs | None) -> None:
    builder = TopologyBuilder()
    (
        builder.stream("in", key=str, value=str)
        .group_by(lambda _key, text: Labels(frozenset(text), len(set(text))), key=Labels, name="by")
        .count(store="counts")
    )
    engine = MemoryEngine(builder.build(), partitions=7, codecs=codecs)
    for timestamp, text in enumerate(("abc", "cab", "aabbcc")):
        engine.pipe("in", text, text, timestamp)
    assert [(row.key, row.value) for row in engine.store("counts")] == [(Labels(frozenset("abc"), 3.0), 3)]
