"""Clients that read while a driver is killed see no wrong answer, and none that is older than what they have seen."""

from pathlib import Path

import pytest

from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from tests.adapters.spark.kills.readers import Input, Readers
from tests.adapters.spark.kills.served_words import ServedWords, read_during_kills
from tests.fixtures.commands import Commands


@pytest.mark.parametrize(
    ("value", "included", "seen", "problem"),
    [
        (5, (5, 8), (5, 5), None),
        (8, (5, 8), (0, 0), None),
        (4, (5, 8), (0, 0), "'every': 4, but 5 to 8 after 5 to 8 lines"),
        (9, (5, 8), (0, 0), "'every': 9, but 5 to 8 after 5 to 8 lines"),
        (6, (5, 8), (6, 6), "'every': 6 after 5 lines, but the client has seen 6 after 6"),
        (6, (6, 8), (6, 7), "'every': 6 after 6 lines, but the client has seen 7 after 6"),
    ],
)
def test_the_model_of_the_input_finds_wrong_and_old_answers(
    value: int, included: tuple[int, int], seen: tuple[int, int], problem: str | None
) -> None:
    given = Input(MemoryEventSink(MemoryEventLog()), "lines", seed=1)
    given.write(8)
    readers = Readers([], given, clients=0, seed=1)
    readers.check("every", value, included, seen)
    assert readers.wrong == ([] if problem is None else [problem])


@pytest.mark.spark
@pytest.mark.slow
def test_no_answer_is_wrong_or_older_than_what_a_client_has_seen(commands: Commands, tmp_path: Path) -> None:
    data = tmp_path / "data"
    given = Input(FileEventSink(data / "topics"), "lines", seed=1)
    served = ServedWords(commands, tmp_path, "--data-dir", str(data))
    readers = read_during_kills(served, given, kills=1, clients=50, seed=1, pause_s=1.0)
    assert readers.wrong == []
    assert readers.answers > 1_000
    for url in served.urls:
        assert served.counts(url, given.lines) == given.counts()
    served.stop_run()
