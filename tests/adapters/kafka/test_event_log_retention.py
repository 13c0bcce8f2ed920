"""What a reader does when retention has deleted records that it was to read."""

import pytest

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import OffsetOutOfRangeError
from tests.adapters.kafka.conftest import Write, eventually, read_values


@pytest.fixture
def shortened(topics: Topics, write: Write, name: str) -> str:
    """A topic of ten records, of which retention has deleted the first four."""
    topics.create(name, 1)
    write(name, [b"%d" % number for number in range(10)])
    topics.delete_records(name, {0: 4})
    return name


def test_deleted_records_are_an_error_with_their_number_and_a_fix(log: KafkaEventLog, shortened: str) -> None:
    assert log.beginning_offset(shortened, 0) == 4
    with pytest.raises(
        OffsetOutOfRangeError,
        match=(
            r"offsets 1 to 8 were requested, but the log starts at 4: retention has deleted 3 of them; "
            "reset the flow, or set auto.offset.reset=earliest"
        ),
    ):
        log.read(shortened, 0, 1, 8)


@pytest.mark.parametrize(("reset", "values", "lost"), [("earliest", [b"4", b"5", b"6", b"7"], 3), ("latest", [], 7)])
def test_deleted_records_are_skipped_with_a_warning_if_the_policy_says_so(
    settings: KafkaSettings, shortened: str, caplog: pytest.LogCaptureFixture, reset: str, values: list[bytes], lost: int
) -> None:
    log = KafkaEventLog({"bootstrap.servers": settings.bootstrap_servers, "auto.offset.reset": reset})
    assert read_values(log, shortened, 1, 8) == values
    assert (
        f"offsets 1 to 8 were requested, but the log starts at 4: skipping {lost} offsets (auto.offset.reset={reset})"
        in caplog.text
    )
    log.close()


@pytest.mark.parametrize("reset", ["error", "earliest"])
def test_records_that_are_deleted_during_a_read_are_not_lost_silently(
    settings: KafkaSettings, topics: Topics, write: Write, name: str, caplog: pytest.LogCaptureFixture, reset: str
) -> None:
    topics.create(name, 1)
    write(name, [bytes(1000)] * 30_000)
    small = {"fetch.message.max.bytes": "20000", "queued.max.messages.kbytes": "50"}
    log = KafkaEventLog({"bootstrap.servers": settings.bootstrap_servers, "auto.offset.reset": reset, **small})
    batches = log.read(name, 0, 0, 30_000)
    offsets = [record.offset for record in next(batches)]
    topics.delete_records(name, {0: 29_000})
    if reset == "error":
        with pytest.raises(OffsetOutOfRangeError, match="but the log starts at 29000"):
            list(batches)
    else:
        offsets += [record.offset for batch in batches for record in batch]
        assert offsets[-1_000:] == list(range(29_000, 30_000))
        assert len(offsets) < 30_000
        assert "offsets (auto.offset.reset=earliest)" in caplog.text
    log.close()


def test_a_range_of_a_topic_that_was_recreated_is_an_error(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1)
    write(name, [b"a", b"b"])
    assert read_values(log, name, 0, 2) == [b"a", b"b"]
    topics.delete(name)
    eventually(lambda: name not in log.topics())
    topics.create(name, 1)
    write(name, [b"c"])
    with pytest.raises(OffsetOutOfRangeError, match="deleted and recreated, reset the flow"):
        log.read(name, 0, 2, 4)
