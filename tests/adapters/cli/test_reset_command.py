import io
import json
import sys
from pathlib import Path

import pytest

from eddyline.adapters.spark.driver.checkpoint import identify
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.cli.conftest import Eddyline
from tests.adapters.cli.test_run_command import LINES, counts, write_lines, written

RUN = ("run", "word-count", "--engine", "memory", "--available-now")

THROUGH = """
from eddyline.application.flows.flow import Flow


def checked(builder):
    builder.stream("lines", key=str, value=str).through("checked").to("done")


def sorted_by_key(builder):
    builder.stream("lines", key=str, value=str).to(lambda key, _line: f"of-{key}")


FLOWS = (Flow("checked", "Checks.", checked), Flow("sorted", "Sorts.", sorted_by_key))
"""


@pytest.fixture
def data(eddyline: Eddyline, tmp_path: Path) -> Path:
    """The data of a word count after a run, with a dead letter and a checkpoint."""
    write_lines(tmp_path / "data", *LINES, more="garbage\n")
    assert eddyline(*RUN).code == 0
    identify(
        tmp_path / "data/state/word-count", "word-count", find_flow("word-count").topology(), 2, LogIdentity("files", "", {})
    )
    return tmp_path / "data"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_a_terminal_it_shows_what_would_be_deleted_and_changes_nothing(eddyline: Eddyline, data: Path) -> None:
    outcome = eddyline("reset", "word-count")
    assert outcome.code == 0
    heading, checkpoint, notes = outcome.out.splitlines()
    assert heading.split() == ["to", "be", "deleted", "location", "size"]
    assert checkpoint.split()[:2] == ["checkpoint", "data/state/word-count"]
    assert checkpoint.rstrip().endswith("in 2 files")
    assert notes.split()[:4] == ["last", "batch", "numbers", "data/topics"]
    assert outcome.err.splitlines() == [
        "the next run appends its results to 'word-counts'; delete the old results with --with-output",
        "flow 'word-count', application 'word-count': nothing was changed; reset it with --execute",
    ]
    assert (data / "state/word-count/eddyline.json").exists()
    assert eddyline("reset", "word-count", "--dry-run") == outcome


def test_what_would_be_deleted_is_an_object_for_programs(eddyline: Eddyline, data: Path) -> None:
    found = [json.loads(line) for line in eddyline("reset", "word-count", "--format", "json").out.splitlines()]
    assert [(each["kind"], each["location"]) for each in found] == [
        ("checkpoint", "data/state/word-count"),
        ("last batch numbers", "data/topics"),
    ]
    assert (data / "state/word-count/eddyline.json").exists()


def test_with_execute_it_deletes_the_state_of_the_flow_and_nothing_else(eddyline: Eddyline, data: Path) -> None:
    outcome = eddyline("reset", "word-count", "--execute")
    assert outcome.code == 0
    assert "application 'word-count': reset; its next run starts from the beginning" in outcome.err
    assert list((data / "state").iterdir()) == []
    assert counts(data)
    assert (data / "topics/text-lines/partition-0.jsonl").stat().st_size
    assert eddyline(*RUN).code == 0
    assert len(written(data, "word-counts")) == 12


def test_the_changelogs_of_the_flow_are_deleted(eddyline: Eddyline, data: Path) -> None:
    assert eddyline("reset", "word-count", "--execute").code == 0
    run = ("run", "word-count", "--engine", "memory", "--available-now", "--set", "changelog.stores=all")
    assert eddyline(*run).code == 0
    changelog = data / "topics/word-count-word-count-store-changelog"
    assert changelog.exists()
    assert "internal topic" in eddyline("reset", "word-count").out
    assert eddyline("reset", "word-count", "--execute").code == 0
    assert not changelog.exists()


def test_a_changelog_of_an_unknown_store_is_an_error_with_the_choices(eddyline: Eddyline, data: Path) -> None:
    del data
    assert eddyline("reset", "word-count", "--execute").code == 0
    outcome = eddyline("run", "word-count", "--engine", "memory", "--available-now", "--set", "changelog.stores=words")
    assert outcome.err.endswith("error: changelog.stores: store 'words' is unknown; choose one of: all, none, word-count-store\n")


def test_output_and_dead_letters_are_deleted_on_request(eddyline: Eddyline, data: Path) -> None:
    assert written(data, "word-count-dead-letters")
    outcome = eddyline("reset", "word-count", "--execute", "--with-output", "--with-dead-letters")
    assert outcome.code == 0
    assert "appends its results" not in outcome.err
    assert (written(data, "word-counts"), written(data, "word-count-dead-letters")) == ([], [])
    again = eddyline("reset", "word-count", "--execute", "--with-output", "--with-dead-letters")
    assert (again.code, again.out) == (0, "")
    assert again.err == (
        "flow 'word-count', application 'word-count': there is nothing to reset in directory 'data/topics' (setting log: files) "
        "and 'data/state'\n"
    )


@pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, False), ("n\n", 0, True), ("", 1, True)])
def test_on_a_terminal_it_asks(
    eddyline: Eddyline, data: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, *, left: bool
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    outcome = eddyline("reset", "word-count")
    assert outcome.code == code
    assert "Delete all this and reset 'word-count'? [y/N]" in outcome.err
    assert (data / "state/word-count").exists() is left


def test_on_a_terminal_a_dry_run_changes_nothing(eddyline: Eddyline, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "nothing was changed" in eddyline("reset", "word-count", "--dry-run").err
    assert (data / "state/word-count").exists()


def test_a_version_is_reset_without_the_others(eddyline: Eddyline, data: Path) -> None:
    assert eddyline(*RUN, "--version", "v2").code == 0
    outcome = eddyline("reset", "word-count", "--version", "v2", "--with-output", "--execute")
    assert "application 'word-count-v2': reset" in outcome.err
    assert written(data, "word-counts-v2") == []
    assert counts(data)
    assert (data / "state/word-count").exists()


def test_topics_that_are_read_back_and_topics_of_unknown_names_are_pointed_out(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "others.py").write_text(THROUGH)
    for name in ("checked", "sorted"):
        (tmp_path / f"data/state/{name}").mkdir(parents=True)
    outcome = eddyline("reset", "checked", "--flows", "others")
    assert outcome.err.splitlines()[:2] == [
        "the next run appends its results to 'checked', 'done'; delete the old results with --with-output",
        "the flow also reads 'checked', so the old records there become input again; delete them with --with-output",
    ]
    outcome = eddyline("reset", "sorted", "--flows", "others")
    assert (
        outcome.err.splitlines()[0]
        == "topics whose names are computed from records are not deleted, since their names are not known"
    )


def test_an_unknown_flow_is_one_line(eddyline: Eddyline) -> None:
    outcome = eddyline("reset", "word-cont")
    assert outcome.code == 2
    assert outcome.err == "error: unknown flow 'word-cont'; did you mean 'word-count'? Run 'eddyline flows' to list them\n"


@pytest.mark.parametrize("name", [".", "..", "alerts", "topics", "../state", ""])
def test_an_application_id_that_is_no_name_of_a_checkpoint_removes_nothing(eddyline: Eddyline, data: Path, name: str) -> None:
    before = sorted(data.rglob("*"))
    outcome = eddyline("reset", "word-count", "--execute", "--set", f"application.id={name}")
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: invalid value '{name}' for setting 'application.id' (from the command line): ")
    assert sorted(data.rglob("*")) == before


def test_an_id_that_is_too_long_with_its_version_is_refused(eddyline: Eddyline, data: Path) -> None:
    before = sorted(data.rglob("*"))
    for command in (("reset", "word-count", "--execute"), RUN):
        outcome = eddyline(*command, "--application-id", "x" * 158, "--version", "v2")
        assert outcome.code == 2
        assert f"invalid application id '{'x' * 158}-v2': use 1 to 160 letters" in outcome.err
    assert sorted(data.rglob("*")) == before


def test_a_folder_that_is_not_marked_as_the_checkpoint_is_not_removed(eddyline: Eddyline, data: Path) -> None:
    (data / "state/word-count/eddyline.json").rename(data / "state/word-count/other.json")
    outcome = eddyline("reset", "word-count", "--execute")
    assert outcome.code == 1
    assert "is not known to be the checkpoint of application 'word-count': it has no valid file eddyline.json" in outcome.err
    assert (data / "state/word-count/other.json").exists()
