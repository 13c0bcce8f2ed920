"""`--version`: versions of a flow side by side."""

from pathlib import Path

import pytest

from tests.adapters.cli.conftest import Eddyline
from tests.adapters.cli.test_run_command import COUNTS, LINES, write_lines, written

RUN = ("run", "word-count", "--engine", "memory", "--available-now")


def test_a_version_writes_results_and_dead_letters_to_its_own_topics(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES, more="garbage\n")
    assert eddyline(*RUN).code == 0
    outcome = eddyline(*RUN, "--version", "v2", "--application-id", "words")
    assert outcome.code == 0, outcome.err
    assert "written to 'word-counts-v2': 6" in outcome.err
    assert "dead letters in 'words-v2-dead-letters': 1" in outcome.err
    for topic in ("word-counts", "word-counts-v2"):
        assert {record["key"]: str(record["value"]) for record in written(tmp_path / "data", topic)} == COUNTS


def test_the_topology_of_a_version_shows_its_topics(eddyline: Eddyline) -> None:
    one, two = eddyline("topology", "word-count"), eddyline("topology", "word-count", "--version", "v2")
    assert "(topic: word-counts)" in one.out
    assert two.out == one.out.replace("(topic: word-counts)", "(topic: word-counts-v2)")


def test_the_version_can_be_a_setting(eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDDYLINE_VERSION", "v3")
    assert "(topic: word-counts-v3)" in eddyline("topology", "word-count").out


@pytest.mark.parametrize("version", ["v 2", "a/b", "x" * 41, "", ".", "..", ".v2"])
def test_an_invalid_version_is_one_line(eddyline: Eddyline, version: str) -> None:
    outcome = eddyline(*RUN, "--version", version)
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: invalid value '{version}' for setting 'version' (from the command line)")
    assert outcome.err.count("\n") == 1
