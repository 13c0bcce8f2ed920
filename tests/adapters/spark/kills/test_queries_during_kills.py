"""Clients that read while a driver is killed see no wrong answer, and none that is older than what they have seen."""

from pathlib import Path

import pytest

from eddyline.adapters.files.event_sink import FileEventSink
from tests.adapters.spark.kills.readers import Input
from tests.adapters.spark.kills.served_words import ServedWords, read_during_kills
from tests.fixtures.commands import Commands


@pytest.mark.spark
def test_no_answer_is_wrong_or_older_than_what_a_client_has_seen(commands: Commands, tmp_path: Path) -> None:
    data = tmp_path / "data"
    given = Input(FileEventSink(data / "topics"), "lines", seed=1)
    served = ServedWords(commands, tmp_path, "--data-dir", str(data))
    readers = read_during_kills(served, given, kills=1, clients=50, seed=1)
    assert readers.wrong == []
    assert readers.answers > 1_000
    for url in served.urls:
        assert served.counts(url, given.lines) == given.counts()
    served.stop_run()
