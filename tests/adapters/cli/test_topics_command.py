"""`eddyline topics`, on files and on Kafka."""

import json
from typing import Any
from uuid import uuid4

import pytest

from tests.adapters.cli.conftest import Eddyline


@pytest.fixture(params=["files", pytest.param("kafka", marks=pytest.mark.services)])
def log(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "files":
        return []
    return ["--bootstrap-servers", request.getfixturevalue("kafka_broker").bootstrap_servers]


def described(eddyline: Eddyline, topic: str, log: list[str]) -> Any:
    return json.loads(eddyline("topics", "describe", topic, "--format", "json", *log).out)


def test_a_topic_is_created_listed_described_and_deleted(eddyline: Eddyline, log: list[str]) -> None:
    topic = f"topics-{uuid4().hex[:8]}"
    created = eddyline("topics", "create", topic, "--partitions", "3", *log)
    assert (created.code, created.err) == (0, f"created topic '{topic}' with 3 partitions\n")
    listed = [json.loads(line) for line in eddyline("topics", "list", "--format", "json", *log).out.splitlines()]
    assert {"topic": topic, "partitions": 3} in listed
    assert topic in eddyline("topics", "list", *log).out
    assert described(eddyline, topic, log) == {
        "topic": topic,
        "replication": 1 if log else None,
        "partitions": [{"partition": number, "begin": 0, "end": 0} for number in range(3)],
    }
    assert f"topic '{topic}' has 3 partitions" in eddyline("topics", "describe", topic, *log).err
    shown = eddyline("topics", "delete", topic, *log)
    assert shown.err == f"topic '{topic}' with 3 partitions and 0 offsets: nothing was changed; delete it with --execute\n"
    assert described(eddyline, topic, log)["topic"] == topic
    assert eddyline("topics", "delete", topic, "--execute", *log).err.endswith("deleted\n")
    gone = eddyline("topics", "describe", topic, *log)
    assert gone.code == 1
    assert f"topic '{topic}' is unknown" in gone.err


def test_an_existing_topic_is_left_as_it_is(eddyline: Eddyline, log: list[str]) -> None:
    topic = f"topics-{uuid4().hex[:8]}"
    eddyline("topics", "create", topic, "--partitions", "2", *log)
    assert eddyline("topics", "create", topic, *log).err == f"exists already: topic '{topic}' with 2 partitions\n"
    refused = eddyline("topics", "create", topic, "--partitions", "3", *log)
    assert refused.code == 1
    assert "with 2 partitions, not 3; choose another name, or delete it with 'eddyline topics delete'" in refused.err


def test_what_the_log_cannot_do_is_refused(eddyline: Eddyline) -> None:
    replicated = eddyline("topics", "create", "t", "--replication", "2")
    assert (replicated.code, "--replication is for Kafka alone" in replicated.err) == (2, True)
    invalid = eddyline("topics", "create", "a/b")
    assert (invalid.code, "'a/b' is not a valid topic name" in invalid.err) == (2, True)
    in_memory = eddyline("topics", "list", "--log", "memory")
    assert (in_memory.code, "the event log in memory is empty at every start" in in_memory.err) == (2, True)


@pytest.mark.services
def test_more_copies_than_brokers_are_an_error_of_kafka(eddyline: Eddyline, kafka_broker: Any) -> None:
    servers = ["--bootstrap-servers", kafka_broker.bootstrap_servers]
    refused = eddyline("topics", "create", f"topics-{uuid4().hex[:8]}", "--replication", "5", *servers)
    assert refused.code == 1
    assert "replication" in refused.err.lower()
