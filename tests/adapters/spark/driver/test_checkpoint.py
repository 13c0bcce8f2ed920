"""A checkpoint is used by one application and one topology."""

import json
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.spark.driver.checkpoint import CheckpointError, identify
from eddyline.application.operations.reset import is_writer_of
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.spark.topologies import copied

WORD_COUNT = find_flow("word-count").topology()


def test_a_new_checkpoint_gets_an_identity_that_it_keeps(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints" / "new"
    created = identify(folder, "app", WORD_COUNT, 2)
    assert (created.application_id, created.groups) == ("app", 2)
    assert created.stages == [["text-lines"], ["word-count-store-repartition"]]
    assert [path.name for path in folder.iterdir()] == ["eddyline.json"]
    assert identify(folder, "app", WORD_COUNT, 8) == created, "the number of Spark partitions cannot change any more"


def test_each_checkpoint_has_a_writer_of_its_application(tmp_path: Path) -> None:
    first, second = (identify(tmp_path / name, "app", WORD_COUNT, 2) for name in ("first", "second"))
    assert first.writer != second.writer
    assert is_writer_of("app", first.writer)
    assert is_writer_of("app", second.writer)


@pytest.mark.parametrize(
    ("application_id", "topology", "message"),
    [
        ("other", copied("lines"), "created with application id 'app', but this flow has 'other'; choose another application.id"),
        ("app", copied("others"), r"created with sub-topologies \[\['lines'\]\], but this flow has \[\['others'\]\]; choose"),
    ],
)
def test_another_application_or_topology_is_refused(tmp_path: Path, application_id: str, topology: Any, message: str) -> None:
    identify(tmp_path, "app", copied("lines"), 2)
    with pytest.raises(CheckpointError, match=message):
        identify(tmp_path, application_id, topology, 2)


def test_another_format_is_refused(tmp_path: Path) -> None:
    identify(tmp_path, "app", copied("lines"), 2)
    file = tmp_path / "eddyline.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 99}))
    with pytest.raises(CheckpointError, match="created with format 99, but this flow has 1"):
        identify(tmp_path, "app", copied("lines"), 2)
