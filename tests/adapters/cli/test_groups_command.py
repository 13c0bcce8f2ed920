import json
import uuid
from collections.abc import Callable
from typing import TypeAlias

import pytest
from confluent_kafka import Consumer, Producer

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.times import parse_duration, parse_time
from eddyline.adapters.kafka.groups.committed_offsets import commit_group_offsets, group_offsets
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from tests.adapters.cli.conftest import Eddyline, Outcome
from tests.adapters.kafka.conftest import eventually

Groups: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def settings(kafka_broker: Broker) -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})


@pytest.fixture
def group(settings: KafkaSettings) -> str:
    """A group that has read 5 of 10 records of the topic of the same name; their timestamps are an hour apart."""
    name = f"group-{uuid.uuid4().hex[:12]}"
    Topics(settings).create(name, 1)
    producer = Producer(settings.producer())
    for number in range(10):
        producer.produce(name, b"v", timestamp=3_600_000 * (number + 1))
    producer.flush()
    commit_group_offsets(settings, name, {(name, 0): 5})
    return name


@pytest.fixture
def groups(eddyline: Eddyline, settings: KafkaSettings) -> Groups:
    return lambda *words: eddyline("groups", *words, "--bootstrap-servers", settings.bootstrap_servers)


def _rows(outcome: Outcome) -> list[list[str]]:
    return [line.split() for line in outcome.out.splitlines()]


def test_groups_are_listed_with_their_states(groups: Groups, group: str) -> None:
    assert [group, "empty", "classic"] in _rows(groups("list"))


def test_a_group_is_described_with_its_lag(groups: Groups, group: str) -> None:
    outcome = groups("describe", group)
    assert _rows(outcome)[1:] == [[group, "0", "5", "10", "5", "-", "-"]]
    assert f"group '{group}' is empty with 0 members; total lag 5" in outcome.err


def test_an_unknown_group_is_named(groups: Groups, group: str) -> None:
    outcome = groups("describe", f"{group}-x")
    assert outcome.code == 1
    assert f"group '{group}-x' is unknown; Kafka has: " in outcome.err


@pytest.mark.parametrize(
    ("words", "after"),
    [
        (["--to-earliest"], 0),
        (["--to-latest"], 10),
        (["--to-offset", "3"], 3),
        (["--to-datetime", "1970-01-01T07:30:00"], 7),
        (["--to-datetime", "1970-01-01T07:30:00+02:00"], 5),
        (["--shift-by", "-2"], 3),
        (["--by-duration", "PT1H"], 10),
    ],
)
def test_a_reset_shows_the_new_offsets_and_commits_them_on_request(
    groups: Groups, settings: KafkaSettings, group: str, words: list[str], after: int
) -> None:
    shown = groups("reset", group, *words)
    assert shown.code == 0, shown.err
    assert _rows(shown)[1:] == [[group, "0", "5", str(after)]]
    assert "nothing was changed; reset the offsets with --execute" in shown.err
    assert groups("reset", group, *words, "--dry-run").out == shown.out
    move = {"topic": group, "partition": 0, "offset": 5, "newOffset": after}
    assert json.loads(groups("reset", group, *words, "--format", "json").out) == move
    assert group_offsets(settings, group, [(group, 0)]) == {(group, 0): 5}

    done = groups("reset", group, *words, "--execute")
    assert done.out == shown.out
    assert f"group '{group}': offsets reset" in done.err
    assert group_offsets(settings, group, [(group, 0)]) == {(group, 0): after}


def test_a_group_with_members_is_refused_even_for_a_dry_run(groups: Groups, settings: KafkaSettings, group: str) -> None:
    member = Consumer({**settings.consumer(), "group.id": group, "client.id": "busy"})
    member.subscribe([group])

    def has_joined() -> bool:
        member.poll(0.1)
        return bool(member.assignment())

    eventually(has_joined)
    for mode in ("--dry-run", "--execute"):
        outcome = groups("reset", group, "--to-earliest", mode)
        assert outcome.code == 1
        assert f"group '{group}' is active" in outcome.err
        assert "Stop them first" in outcome.err
    assert "busy" in groups("describe", group).out
    member.close()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no targets given; give exactly one of --to-earliest, --to-latest, --to-offset"),
        (["--to-earliest", "--to-latest"], "2 targets given; give exactly one of"),
        (["--to-datetime", "noon"], "invalid --to-datetime 'noon'; write it as 2026-03-01T12:00:00"),
        (["--by-duration", "1 hour"], "invalid --by-duration '1 hour'; write it as P1DT2H30M or PT90S"),
        (["--to-earliest", "--topic", "t:x"], "invalid --topic 't:x'; write it as TOPIC or TOPIC:0,1"),
    ],
)
def test_an_invalid_option_is_one_line_with_the_fix(groups: Groups, words: list[str], message: str) -> None:
    outcome = groups("reset", "any", *words)
    assert outcome.code == 2
    assert message in outcome.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "milliseconds"), [("P1D", 86_400_000), ("PT1H30M", 5_400_000), ("PT0.5S", 500), ("P2DT3S", 172_803_000)]
)
def test_durations_are_parsed_as_iso_8601(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize("text", ["", "P", "PT", "1D", "P1H", "-P1D"])
def test_an_invalid_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"invalid duration '.*'; write it as P1DT2H30M"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("0", 0), ("1772362800000", 1_772_362_800_000), ("1970-01-02", 86_400_000), ("1970-01-01T01:00:00+01:00", 0)],
)
def test_times_are_parsed_as_iso_8601_in_utc_or_as_milliseconds(text: str, milliseconds: int) -> None:
    assert parse_time(text) == milliseconds
