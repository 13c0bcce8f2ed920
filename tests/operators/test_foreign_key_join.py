"""join and left_join of tables by a foreign key."""

import random
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.output import Output
from eddyline.application.runtime.task import Task
from eddyline.application.topology import Topology, TopologyBuilder
from tests.operators.running import engine_for, seen

Verb = Literal["join", "left_join"]
VERBS: tuple[Verb, ...] = ("join", "left_join")


def fk(value: str) -> str | None:
    """The foreign key stands before the colon; nothing is none."""
    return value.partition(":")[0] or None


def pair(left: str, right: str | None) -> tuple[str, str | None]:
    return left, right


def define(verb: Verb, store: str | None = None) -> Any:
    def said(builder: TopologyBuilder) -> None:
        left = builder.table("left", key=str, value=str)
        right = builder.table("right", key=str, value=str)
        joined = getattr(left, verb)(right, pair, foreign_key=fk, store=store, name="by-fk")
        joined.to_stream().to("out")

    return said


def joining(verb: Verb, **options: Any) -> MemoryEngine:
    return engine_for(define(verb), **options)


def piped(engine: MemoryEngine, *records: tuple[str, str, str | None, int]) -> list[Any]:
    for record in records:
        engine.pipe(*record)
    return seen(engine)


def test_a_left_change_has_the_greater_time_of_both_a_right_change_its_own() -> None:
    assert piped(joining("join"), ("left", "1", "p:a", 20), ("right", "p", "P", 5), ("left", "1", "p:b", 3)) == [
        ("1", ("p:a", "P"), 5),
        ("1", ("p:b", "P"), 5),
    ]


def test_a_right_change_reaches_all_left_rows_in_the_order_of_their_keys() -> None:
    rows = [("left", key, "p:", 0) for key in ("é", "10", "2", "b")]
    assert [key for key, _, _ in piped(joining("join"), *rows, ("right", "p", "P", 1))] == ["10", "2", "b", "é"]


def test_a_row_that_gets_another_foreign_key_gives_one_update_and_hears_of_the_old_one_no_more() -> None:
    found = piped(
        joining("join"),
        ("right", "p", "P", 0),
        ("right", "q", "Q", 0),
        ("left", "1", "p:", 1),
        ("left", "1", "q:", 2),
        ("right", "p", "P2", 3),
    )
    assert found == [("1", ("p:", "P"), 1), ("1", ("q:", "Q"), 2)]


def test_an_inner_join_deletes_what_moved_to_a_missing_row_but_nothing_that_never_was() -> None:
    found = piped(joining("join"), ("left", "1", "x:", 0), ("right", "p", "P", 0), ("left", "2", "p:", 1), ("left", "2", "x:", 2))
    assert found == [("2", ("p:", "P"), 1), ("2", None, 2)]


def test_an_inner_join_drops_a_row_without_a_foreign_key_and_deletes_its_result() -> None:
    engine = joining("join")
    assert piped(engine, ("left", "1", ":", 0), ("right", "p", "P", 0), ("left", "1", "p:", 1), ("left", "1", ":", 2)) == [
        ("1", ("p:", "P"), 1),
        ("1", None, 2),
    ]
    assert engine.drops == {("by-fk-subscribe", "null-join-key"): 2}


def test_a_left_join_keeps_rows_that_point_nowhere() -> None:
    found = piped(
        joining("left_join"), ("left", "1", ":", 0), ("left", "1", "p:", 1), ("left", "1", ":", 2), ("left", "1", None, 3)
    )
    assert found == [("1", (":", None), 0), ("1", ("p:", None), 1), ("1", (":", None), 2), ("1", None, 3)]


def test_a_table_may_point_to_itself() -> None:
    def said(builder: TopologyBuilder) -> None:
        staff = builder.table("staff", key=str, value=str)
        staff.left_join(staff, pair, foreign_key=fk, store="with-boss").to_stream().to("out")

    engine = engine_for(said, partitions=2)
    for record in [("ann", "bob:1", 0), ("bob", ":1", 1), ("bob", ":2", 2), ("eve", "ann:1", 3)]:
        engine.pipe("staff", *record)
    assert {row.key: row.value for row in engine.store("with-boss")} == {
        "ann": ("bob:1", ":2"),
        "bob": (":2", None),
        "eve": ("ann:1", "bob:1"),
    }


def test_the_result_is_kept_where_a_verb_has_to_know_what_it_was_before() -> None:
    def said(builder: TopologyBuilder) -> None:
        left = builder.table("left", key=str, value=str)
        joined = left.join(builder.table("right", key=str, value=str), pair, foreign_key=fk, name="by-fk")
        joined.filter(lambda _key, both: both[1] != "hidden").to_stream().to("out")

    engine = engine_for(said)
    found = piped(
        engine, ("left", "1", "p:", 0), ("right", "p", "hidden", 1), ("right", "p", "P", 2), ("right", "p", "hidden", 3)
    )
    assert found == [("1", ("p:", "P"), 2), ("1", None, 3)]
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


def joined_tables(verb: Verb, updates: list[tuple[str, str, str | None]]) -> dict[str, tuple[str, str | None]]:
    left, right = tables_of(updates)
    found = {key: (value, right.get(fk(value) or "")) for key, value in left.items()}
    return {key: both for key, both in found.items() if verb == "left_join" or both[1] is not None}


@pytest.mark.parametrize(
    "options", [{}, {"partitions": 2}, {"partitions": {"left": 3, "right": 2}}, {"partitions": 2, "emit": "latest"}]
)
@pytest.mark.parametrize("verb", VERBS)
@given(updates=UPDATES)
@settings(max_examples=60)
def test_the_joined_table_is_the_join_of_the_tables(options: dict[str, Any], verb: Verb, updates: list[Any]) -> None:
    engine = engine_for(define(verb, store="pairs"), **options)
    for timestamp, (side, key, value) in enumerate(updates):
        engine.pipe(side, key, value, timestamp)
        if timestamp % 3 == 0:
            engine.commit()
    engine.commit()
    assert {row.key: row.value for row in engine.store("pairs")} == joined_tables(verb, updates)


def topology_of(verb: Verb) -> Topology:
    builder = TopologyBuilder()
    define(verb, store="pairs")(builder)
    return builder.build()


@pytest.mark.parametrize("verb", VERBS)
@given(batches=st.lists(UPDATES, max_size=4), seed=st.integers(0, 1_000))
@settings(max_examples=60)
def test_answers_that_overtake_each_other_before_a_commit_do_no_harm(verb: Verb, batches: list[Any], seed: int) -> None:
    """Each batch goes through left, two right tasks and result in turn; what the right tasks send is interleaved at random."""
    topology, mixed = topology_of(verb), random.Random(seed)
    left, answering, result = (sub.index for sub in sorted(topology.sub_topologies, key=lambda sub: _stage(sub.source_topics)))
    tasks = {
        "left": [Task(topology, left, 0, stores=MemoryStateStores())],
        "right": [Task(topology, answering, number, stores=MemoryStateStores()) for number in (0, 1)],
        "result": [Task(topology, result, 0, stores=MemoryStateStores())],
    }
    for batch in batches:
        for side, key, value in (record for record in batch if record[0] == "left"):
            tasks["left"][0].process(side, key, value, 0)
        sent = tasks["left"][0].take_output()
        answers: list[list[Output]] = []
        for number, task in enumerate(tasks["right"]):
            own: list[Any] = [record for record in batch if record[0] == "right" and _place(record[1]) == number]
            own += [output[:3] for output in sent if _place(output.key) == number]
            for topic, key, value in _interleaved(own, mixed):
                task.process(topic, key, value, 0)
            answers.append(task.take_output())
        while any(answers):
            output = mixed.choice([several for several in answers if several]).pop(0)
            tasks["result"][0].process(output.topic, output.key, output.value, output.timestamp)
        for several in tasks.values():
            for task in several:
                task.commit()
    kept = tasks["result"][0].store("pairs")
    assert {key: row[0] for key, row in kept.range()} == joined_tables(verb, [record for batch in batches for record in batch])


def _stage(source_topics: tuple[str, ...]) -> int:
    return 0 if "left" in source_topics else 1 if "right" in source_topics else 2


def _place(key: str | None) -> int:
    return 0 if key is None else ord(key) % 2


def _interleaved(records: list[Any], mixed: random.Random) -> list[Any]:
    """The records of both topics in a random order that leaves each topic's own as it is."""
    queues = [[r for r in records if r[0] == "right"], [r for r in records if r[0] != "right"]]
    taken = []
    while any(queues):
        taken.append(mixed.choice([queue for queue in queues if queue]).pop(0))
    return taken
