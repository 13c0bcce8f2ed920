"""`eddyline produce` and `consume` work on the event log that flows use: files by default."""

import io
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.cli.conftest import Eddyline, Outcome
from tests.fixtures.forks.forked import ForkedCommand


@pytest.fixture
def produce(eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch) -> object:
    def call(text: str, *words: str) -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return eddyline("produce", *words)

    return call


def values(outcome: Outcome) -> list[str]:
    assert outcome.code == 0, outcome.err
    return [line.split("\t")[3] for line in outcome.out.splitlines()]


def test_lines_are_written_to_files_and_read_again(produce: object, eddyline: Eddyline) -> None:
    assert callable(produce)
    written = produce("anna:tea\nben:salt\nanna:rice\n", "orders", "--create-topics", "--partitions", "2", "--key-separator", ":")
    assert written.code == 0, written.err
    assert "created topic 'orders' with 2 partitions" in written.err
    assert "3 records written, 0 refused" in written.err
    places = [line.split("\t")[0] for line in written.out.splitlines()]
    assert len(set(places)) == 3
    read = eddyline("consume", "orders", "--until-end")
    assert {(line.split("\t")[0], line.split("\t")[2]) for line in read.out.splitlines()} == {
        (place, key) for place, key in zip(places, ("anna", "ben", "anna"), strict=True)
    }
    assert "consumer 1: orders 0 1" in read.err
    assert "3 records, no offsets committed" in read.err


@pytest.mark.parametrize(
    ("start", "expected"),
    [("beginning", ["a", "b", "c"]), ("end", []), ("1", ["b", "c"]), ("9", []), ("1970-01-01T00:00:02", ["b", "c"])],
)
def test_reading_starts_at_the_given_position(produce: object, eddyline: Eddyline, start: str, expected: list[str]) -> None:
    assert callable(produce)
    lines = "".join(f'{{"value": "{value}", "timestamp": {second}000}}\n' for second, value in enumerate("abc", start=1))
    assert produce(lines, "t", "--create-topics", "--partitions", "1", "--format", "json").code == 0
    assert values(eddyline("consume", "t", "--until-end", "--from", start)) == expected


def test_a_hyphen_stands_for_standard_input(produce: object, eddyline: Eddyline) -> None:
    assert callable(produce)
    assert produce("a\n", "t", "--file", "-", "--create-topics").code == 0
    assert values(eddyline("consume", "t", "--until-end")) == ["a"]


def test_a_file_that_does_not_exist_is_refused_before_a_topic_is_created(eddyline: Eddyline) -> None:
    outcome = eddyline("produce", "t", "--file", "none.txt", "--create-topics")
    assert (outcome.code, outcome.err.splitlines()[-1]) == (
        2,
        "error: invalid value for '--file' / '-f': file 'none.txt' does not exist; run 'eddyline produce --help' for usage",
    )
    assert not Path("data").exists()


def test_reading_stops_after_a_number_of_records(produce: object, eddyline: Eddyline) -> None:
    assert callable(produce)
    produce("a\nb\nc\n", "t", "--create-topics", "--partitions", "1")
    assert values(eddyline("consume", "t", "--max-records", "2")) == ["a", "b"]


def test_a_record_can_go_to_a_partition_of_ones_choice(produce: object) -> None:
    assert callable(produce)
    produce("", "t", "--create-topics", "--partitions", "2")
    assert produce("a\nb\n", "t", "--partition", "1").out.count("t-1@") == 2
    assert "topic 't' has no partition 2; it has 0 to 1" in produce("a\n", "t", "--partition", "2").err
    lines = produce("a\nb\nc\nd\n", "t", "--partitioner", "round-robin").out.splitlines()
    assert [re.match(r"t-(\d)@", line)[1] for line in lines] == ["0", "1", "0", "1"]  # type: ignore[index] # each line matches


def test_a_consumer_follows_the_topic_until_a_signal(produce: object, tmp_path: Path) -> None:
    assert callable(produce)
    produce("a\n", "t", "--create-topics", "--partitions", "1")
    with ForkedCommand(["consume", "t"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline().endswith("\ta\n")
        produce("b\n", "t")
        assert running.stdout.readline().endswith("\tb\n")
        running.send_signal(signal.SIGINT)
        assert running.wait(120) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["consume", "nope"], "topic 'nope' is unknown in directory 'data/topics' (setting log: files), which has: none; choose"),
        (["produce", "nope"], "which has: none; create it with --create-topics, or choose the event log with --log"),
        (
            ["consume", "t", "--log", "memory"],
            "the event log in memory is empty at every start; choose --log files or --log kafka",
        ),
        (["consume", "nope", "--data-dir", "elsewhere"], "is unknown in directory 'elsewhere/topics' (setting log: files)"),
        (["consume", "t", "--bootstrap-servers", "127.0.0.1:1"], "could not connect to Kafka at '127.0.0.1:1'"),
        (["groups", "list", "--bootstrap-servers", "127.0.0.1:1"], "could not connect to Kafka at '127.0.0.1:1'"),
        (
            ["dead-letters", "list", "word-count"],
            "flow 'word-count' has no topics in directory 'data/topics' (setting log: files)",
        ),
    ],
)
def test_the_error_about_the_wrong_log_names_the_log_and_the_setting(eddyline: Eddyline, words: list[str], message: str) -> None:
    outcome = eddyline(*words)
    assert outcome.code in {1, 2}
    assert message in outcome.err


def test_a_group_needs_kafka(produce: object, eddyline: Eddyline) -> None:
    assert callable(produce)
    produce("a\n", "t", "--create-topics")
    outcome = eddyline("consume", "t", "--group", "g")
    assert (outcome.code, outcome.err) == (
        2,
        "error: topics in files have no consumer groups; leave out --group and --consumers, or choose --log kafka\n",
    )


@pytest.mark.parametrize("words", [["consume", "t"], ["groups", "list"], ["produce", "t"]])
def test_the_settings_file_is_read(eddyline: Eddyline, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "eddyline.toml").write_text('log = "kafka"\n"bootstrap.servers" = "127.0.0.1:1"\n')
    assert "could not connect to Kafka at '127.0.0.1:1'" in eddyline(*words).err


def test_the_codec_of_a_topic_comes_from_the_settings(produce: object, eddyline: Eddyline, tmp_path: Path) -> None:
    assert callable(produce)
    (tmp_path / "eddyline.toml").write_text('"value.codecs.numbers" = "long"\n')
    produce("12\n", "numbers", "--create-topics", "--partitions", "1")
    assert values(eddyline("consume", "numbers", "--until-end")) == ["12"]
    assert values(eddyline("consume", "numbers", "--until-end", "--value-codec", "bytes"))[0].startswith("\"b'\\\\x00")
    assert "cannot encode 'x' as long: not an integer" in produce("x\n", "numbers").err
