"""Sources that read all topics that match a pattern."""

import re
from collections.abc import Callable

import pytest

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.topology import TopologyBuilder, TopologyError
from tests.operators.running import emitted, engine_for

LOGS = re.compile("logs-[a-z]+")


def logs(builder: TopologyBuilder) -> None:
    builder.stream(LOGS, key=str, value=str).to("out")


def test_topics_that_match_the_whole_pattern_are_read() -> None:
    engine = engine_for(logs)
    engine.pipe("logs-app", "a", "x", 1)
    engine.pipe("logs-db", "b", "y", 2)
    assert emitted(engine) == [("a", "x", 1), ("b", "y", 2)]
    with pytest.raises(LookupError, match=re.escape("does not read topic 'logs-7'; it reads: /logs-[a-z]+/")):
        engine.pipe("logs-7", "a", "x", 1)


def test_the_partitions_of_matching_topics_can_be_given() -> None:
    builder = TopologyBuilder()
    builder.stream(LOGS, key=str, value=str).to(lambda _key, _value, context: f"{context.topic}-{context.partition}")
    engine = MemoryEngine(builder.build(), partitions={"logs-app": 2, "logs-db": 3})
    engine.pipe("logs-app", "a", "x", 1, partition=1)
    engine.pipe("logs-db", "a", "x", 1, partition=2)
    assert [output.topic for output in engine.outputs()] == ["logs-app-1", "logs-db-2"]


def test_the_timestamp_extractor_of_a_pattern_gets_the_topic() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream(LOGS, key=str, value=str, timestamp=lambda record: len(record.topic)).to("out")

    engine = engine_for(define)
    engine.pipe("logs-app", "a", "x", 1)
    assert emitted(engine) == [("a", "x", 8)]


def test_a_pattern_is_printed_as_kafka_streams_does() -> None:
    builder = TopologyBuilder()
    logs(builder)
    assert "Source: logs-a-z-pattern (topics: logs-[a-z]+)" in builder.build().describe()


def test_reading_a_pattern_twice_returns_the_same_stream() -> None:
    builder = TopologyBuilder()
    logs(builder)
    builder.stream(re.compile("logs-[a-z]+"), key=str, value=str).to("again")
    assert len([node for node in builder.build().nodes if node.name.endswith("-pattern")]) == 1


def matches_named(builder: TopologyBuilder) -> None:
    logs(builder)
    builder.stream("logs-app", key=str, value=str).to("app")


def matches_table(builder: TopologyBuilder) -> None:
    builder.table("logs-app", key=str, value=str).to_stream().to("app")
    logs(builder)


@pytest.mark.parametrize("define", [matches_named, matches_table])
def test_a_pattern_must_not_match_a_topic_that_is_read_by_name(define: Callable[[TopologyBuilder], None]) -> None:
    with pytest.raises(TopologyError, match=r"matches topic 'logs-app', which is read by name; exclude the topic"):
        engine_for(define)


def test_a_topic_must_not_match_two_patterns() -> None:
    def define(builder: TopologyBuilder) -> None:
        logs(builder)
        builder.stream(re.compile(".*-app"), key=str, value=str).to("app")

    engine = engine_for(define)
    engine.pipe("logs-db", "a", "x", 1)
    with pytest.raises(TopologyError, match=r"topic 'logs-app' matches more than one pattern: .*/logs-\[a-z\]\+/"):
        engine.pipe("logs-app", "a", "x", 1)


def test_a_task_finds_topics_that_appear_later() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream(LOGS, key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")

    engine = engine_for(define)
    for number, topic in enumerate(("logs-app", "logs-db", "logs-app")):
        engine.pipe(topic, "a", "x", number)
    assert emitted(engine) == [("a", 1, 0), ("a", 2, 1), ("a", 3, 2)]


def test_a_pattern_without_legal_characters_has_a_name_too() -> None:
    builder = TopologyBuilder()
    builder.stream(re.compile("[.]+"), key=str, value=str).to("out")
    assert next(node.name for node in builder.build().nodes) == "pattern"
