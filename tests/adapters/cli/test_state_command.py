import gzip
from pathlib import Path

import pytest

from eddyline.adapters.cli.main import run
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.operations.exported_state import ExportedState, ExportedTask, StoredEntry, write_state
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology.evolution import described
from tests.adapters.cli.conftest import Eddyline

WORD_COUNT = find_flow("word-count").topology()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    task = ExportedTask(("word-count-store-repartition",), 0, [StoredEntry("word-count-store", b'"fox"', b"[2,1]")])
    offsets = {"text-lines": [1]}
    state = ExportedState("word-count", described(WORD_COUNT), LogIdentity("files", "", {}), offsets, {}, [task])
    write_state(state, tmp_path / "word-count.state")
    return tmp_path / "word-count.state"


def test_without_execute_nothing_is_imported(eddyline: Eddyline, file: Path) -> None:
    outcome = eddyline("state", "import", "word-count", file)
    shown = "application 'word-count': nothing was changed; import 1 entry with --execute\n"
    assert (outcome.code, outcome.out, outcome.err) == (0, "", shown)
    assert not Path("data", "state").exists()


def test_state_is_imported_once(eddyline: Eddyline, file: Path) -> None:
    pytest.importorskip("pyspark")
    outcome = eddyline("state", "import", "word-count", file, "--execute")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "imported 1 entry into application 'word-count'\n")
    again = eddyline("state", "import", "word-count", file, "--execute")
    assert again.code == 1
    assert (
        "has state on the engine spark, in checkpoint 'data/state/word-count'; run 'eddyline reset' for the flow first"
        in again.err
    )
    assert eddyline("state", "import", "word-count", file, "--version", "v2", "--execute").code == 0


def test_state_of_another_flow_is_imported_without_what_the_flow_does_not_have(eddyline: Eddyline, file: Path) -> None:
    outcome = eddyline("state", "import", "stock-stats", file, "--execute")
    assert outcome.code == 0
    assert "the sub-topology that reads 'trades' is new" in outcome.err


def test_a_file_without_state_is_refused(eddyline: Eddyline, file: Path) -> None:
    file.write_bytes(gzip.compress(b"{}"))
    outcome = eddyline("state", "import", "word-count", file, "--execute")
    assert outcome.code == 1
    assert "has no exported state, or is incomplete" in outcome.err


def test_no_file_is_overwritten(eddyline: Eddyline, file: Path) -> None:
    outcome = eddyline("state", "export", "word-count", file)
    assert outcome.code == 2
    assert "exists already; delete it, or choose another name" in outcome.err


def test_the_help_of_the_group_is_shown_without_a_command() -> None:
    assert run(["state"]) == 0


def test_a_flow_is_not_rescaled_to_no_tasks(eddyline: Eddyline) -> None:
    outcome = eddyline("rescale", "word-count", "--tasks", "0")
    assert outcome.code == 2
    assert "--tasks" in outcome.err


def test_a_flow_with_changelogs_is_not_rescaled(eddyline: Eddyline) -> None:
    FileEventSink(Path("data", "topics")).create_topic("word-count-word-count-store-changelog", 1)
    outcome = eddyline("rescale", "word-count", "--tasks", "3")
    assert outcome.code == 1
    assert "changelog topic 'word-count-word-count-store-changelog' has a partition for each task" in outcome.err
