"""join and left_join of tables by a foreign key."""

import random
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.output import Output
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples
from tests.operators.running import emitted, engine_for

Operator = Literal["join", "left_join"]
OPERATORS: tuple[Operator, ...] = ("join", "left_join")


def fk(value: str) -> str | None:
    """Return the foreign key: the part before the colon, None if it is empty."""
    return value.partition(":")[0] or None


def pair(left: str, right: str | None) -> tuple[str, str | None]:
    return left, right


def define(operator: Operator, store: str | None = None) -> Any:
    def build(builder: TopologyBuilder) -> None:
        left = builder.table("left", key=str, value=str)
        right = builder.table("right", key=str, value=str)
        joined = getattr(left, operator)(right, pair, foreign_key=fk, store=store, name="by-fk")
        joined.to_stream().to("out")

    return build


def joining(operator: Operator, **options: Any) -> MemoryEngine:
    return engine_for(define(operator), **options)


def pipe_all(engine: MemoryEngine, *records: tuple[str, str, str | None, int]) -> list[Any]:
    for record in records:
        engine.pipe(*record)
    return emitted(engine)


def test_an_update_of_a_left_row_has_the_greater_timestamp_and_one_of_a_right_row_its_own() -> None:
    assert pipe_all(joining("join"), ("left", "1", "p:a", 20), ("right", "p", "P", 5), ("left", "1", "p:b", 3)) == [
        ("1", ("p:a", "P"), 5),
        ("1", ("p:b", "P"), 5),
    ]


def test_an_update_of_a_right_row_updates_all_left_rows_in_the_order_of_their_keys() -> None:
    rows = [("left", key, "p:", 0) for key in ("é", "10", "2", "b")]
    assert [key for key, _, _ in pipe_all(joining("join"), *rows, ("right", "p", "P", 1))] == ["10", "2", "b", "é"]


def test_a_row_with_a_new_foreign_key_is_updated_once_and_no_longer_joined_with_the_old_one() -> None:
    found = pipe_all(
        joining("join"),
        ("right", "p", "P", 0),
        ("right", "q", "Q", 0),
        ("left", "1", "p:", 1),
        ("left", "1", "q:", 2),
        ("right", "p", "P2", 3),
    )
    assert found == [("1", ("p:", "P"), 1), ("1", ("q:", "Q"), 2)]


def test_an_inner_join_deletes_a_result_without_a_match_but_only_if_there_was_one() -> None:
    found = pipe_all(
        joining("join"), ("left", "1", "x:", 0), ("right", "p", "P", 0), ("left", "2", "p:", 1), ("left", "2", "x:", 2)
    )
    assert found == [("2", ("p:", "P"), 1), ("2", None, 2)]


def test_an_inner_join_drops_a_row_without_a_foreign_key_and_deletes_its_result() -> None:
    engine = joining("join")
    assert pipe_all(engine, ("left", "1", ":", 0), ("right", "p", "P", 0), ("left", "1", "p:", 1), ("left", "1", ":", 2)) == [
        ("1", ("p:", "P"), 1),
        ("1", None, 2),
    ]
    assert engine.drops == {("by-fk-subscribe", "null-join-key"): 2}


def test_a_left_join_keeps_rows_without_a_foreign_key_or_a_match() -> None:
    found = pipe_all(
        joining("left_join"), ("left", "1", ":", 0), ("left", "1", "p:", 1), ("left", "1", ":", 2), ("left", "1", None, 3)
    )
    assert found == [("1", (":", None), 0), ("1", ("p:", None), 1), ("1", (":", None), 2), ("1", None, 3)]


def test_a_table_can_be_joined_with_itself() -> None:
    def build(builder: TopologyBuilder) -> None:
        staff = builder.table("staff", key=str, value=str)
        staff.left_join(staff, pair, foreign_key=fk, store="with-boss").to_stream().to("out")

    engine = engine_for(build, partitions=2)
    for record in [("ann", "bob:1", 0), ("bob", ":1", 1), ("bob", ":2", 2), ("eve", "ann:1", 3)]:
        engine.pipe("staff", *record)
    assert {row.key: row.value for row in engine.store("with-boss")} == {
        "ann": ("bob:1", ":2"),
        "bob": (":2", None),
        "eve": ("ann:1", "bob:1"),
    }


def test_the_result_is_stored_if_another_operator_needs_its_old_values() -> None:
    def build(builder: TopologyBuilder) -> None:
        left = builder.table("left", key=str, value=str)
        joined = left.join(builder.table("right", key=str, value=str), pair, foreign_key=fk, name="by-fk")
        joined.filter(lambda _key, both: both[1] != "hidden").to_stream().to("out")

    engine = engine_for(build)
    found = pipe_all(
        engine, ("left", "1", "p:", 0), ("right", "p", "hidden", 1), ("right", "p", "P", 2), ("right", "p", "hidden", 3)
    )
    assert found == [("1", None, 1), ("1", ("p:", "P"), 2), ("1", None, 3)]
    assert [row.value for row in engine.store("by-fk-store")] == [("p:", "hidden")]


UPDATES = st.lists(
    st.one_of(
        st.tuples(
            st.just("left"),
            st.sampled_from("12345"),
            st.none() | st.builds("{}:{}".format, st.sampled_from(["", "p", "q", "r"]), st.sampled_from("ab")),
        ),
        st.tuples(st.just("right"), st.sampled_from("pqr"), st.none() | st.sampled_from(["P", "Q"])),
    ),
    max_size=30,
)


def tables_of(updates: list[tuple[str, str, str | None]]) -> tuple[dict[str, str], dict[str, str]]:
    rows: dict[str, dict[str, str]] = {"left": {}, "right": {}}
    for side, key, value in updates:
        rows[side].pop(key, None)
        if value is not None:
            rows[side][key] = value
    return rows["left"], rows["right"]


def joined_tables(operator: Operator, updates: list[tuple[str, str, str | None]]) -> dict[str, tuple[str, str | None]]:
    left, right = tables_of(updates)
    found = {key: (value, right.get(fk(value) or "")) for key, value in left.items()}
    return {key: both for key, both in found.items() if operator == "left_join" or both[1] is not None}


@pytest.mark.parametrize(
    "options", [{}, {"partitions": 2}, {"partitions": {"left": 3, "right": 2}}, {"partitions": 2, "emit": "latest"}]
)
@pytest.mark.parametrize("operator", OPERATORS)
@given(updates=UPDATES)
@settings(max_examples=examples(60))
def test_the_joined_table_is_the_join_of_the_tables(options: dict[str, Any], operator: Operator, updates: list[Any]) -> None:
    engine = engine_for(define(operator, store="pairs"), **options)
    for timestamp, (side, key, value) in enumerate(updates):
        engine.pipe(side, key, value, timestamp)
        if timestamp % 3 == 0:
            engine.commit()
    engine.commit()
    assert {row.key: row.value for row in engine.store("pairs")} == joined_tables(operator, updates)


def topology_of(operator: Operator) -> Topology:
    builder = TopologyBuilder()
    define(operator, store="pairs")(builder)
    return builder.build()


@pytest.mark.parametrize("operator", OPERATORS)
@given(batches=st.lists(UPDATES, max_size=4), seed=st.integers(0, 1_000))
@settings(max_examples=examples(60))
def test_responses_out_of_order_between_two_commits_give_the_same_result(
    operator: Operator, batches: list[Any], seed: int
) -> None:
    """Each batch is processed by the left task, two right tasks and the result task; the right tasks' outputs are interleaved."""
    topology, random_order = topology_of(operator), random.Random(seed)
    left, responding, result = (sub.index for sub in sorted(topology.sub_topologies, key=lambda sub: _stage(sub.source_topics)))
    tasks = {
        "left": [Task(topology, left, 0, stores=MemoryStateStores())],
        "right": [Task(topology, responding, number, stores=MemoryStateStores()) for number in (0, 1)],
        "result": [Task(topology, result, 0, stores=MemoryStateStores())],
    }
    for batch in batches:
        for side, key, value in (record for record in batch if record[0] == "left"):
            tasks["left"][0].process(side, key, value, 0)
        sent = tasks["left"][0].take_output()
        responses: list[list[Output]] = []
        for number, task in enumerate(tasks["right"]):
            own: list[Any] = [record for record in batch if record[0] == "right" and _partition(record[1]) == number]
            own += [output[:3] for output in sent if _partition(output.key) == number]
            for topic, key, value in _interleaved(own, random_order):
                task.process(topic, key, value, 0)
            responses.append(task.take_output())
        while any(responses):
            output = random_order.choice([outputs for outputs in responses if outputs]).pop(0)
            tasks["result"][0].process(output.topic, output.key, output.value, output.timestamp)
        for same_side in tasks.values():
            for task in same_side:
                task.commit()
    stored = tasks["result"][0].store("pairs")
    assert {key: row[0] for key, row in stored.range()} == joined_tables(
        operator, [record for batch in batches for record in batch]
    )


def _stage(source_topics: tuple[str, ...]) -> int:
    return 0 if "left" in source_topics else 1 if "right" in source_topics else 2


def _partition(key: str | None) -> int:
    return 0 if key is None else ord(key) % 2


def _interleaved(records: list[Any], random_order: random.Random) -> list[Any]:
    """Return the records of both topics in a random order that keeps the order of each topic."""
    queues = [[r for r in records if r[0] == "right"], [r for r in records if r[0] != "right"]]
    taken = []
    while any(queues):
        taken.append(random_order.choice([queue for queue in queues if queue]).pop(0))
    return taken


def test_the_joiner_gets_the_key_of_the_left_row() -> None:
    def build(builder: TopologyBuilder) -> None:
        left, right = (builder.table(topic, key=str, value=str) for topic in ("left", "right"))
        joined = left.join(right, lambda key, one, other: (key, one, other), foreign_key=fk, with_key=True, value=tuple)
        joined.to_stream().to("out")

    assert pipe_all(engine_for(build), ("right", "p", "P", 0), ("left", "1", "p:a", 1)) == [("1", ("1", "p:a", "P"), 1)]


def test_the_old_value_of_a_stored_result_is_the_replaced_one() -> None:
    def build(builder: TopologyBuilder) -> None:
        left, right = (builder.table(topic, key=str, value=str) for topic in ("left", "right"))
        joined = left.join(right, lambda one, other: one + other, foreign_key=fk, value=str, store="joined")
        joined.group_by(lambda _key, value: (value[-1], value), key=str, value=str).count().to_stream().to("out")

    rows = [("right", "p", "P", 0), ("left", "1", "p:a", 1), ("right", "p", "Q", 2)]
    assert pipe_all(engine_for(build), *rows) == [("P", 1, 1), ("P", 0, 2), ("Q", 1, 2)]
