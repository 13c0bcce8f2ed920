"""The records of a changelog are entries as the state codec encodes them, and progress records with an empty key."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.operators.context import NO_TIME
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import (
    PROGRESS_KEY,
    BatchProgress,
    ChangelogEntry,
    ChangelogProgress,
    changelog_topic,
    decode,
    encode_progress,
    entry_record,
    progress_records,
)

_NUMBERS = st.integers(0, 2**53)
_PROGRESS = st.builds(
    ChangelogProgress, _NUMBERS, _NUMBERS, st.none() | _NUMBERS, st.dictionaries(st.text(), st.lists(_NUMBERS), max_size=3)
)


def test_the_topic_is_named_as_in_kafka_streams() -> None:
    assert changelog_topic("app", "word-counts") == "app-word-counts-changelog"


@given(st.binary(min_size=1), st.none() | st.binary(), st.integers(-1, 2**53))
def test_an_entry_is_a_record_with_its_key_and_value_at_stream_time(key: bytes, value: bytes | None, stream_time: int) -> None:
    record = entry_record("app-s-changelog", 3, key, value, stream_time)
    assert record == SinkRecord("app-s-changelog", key, value, max(0, stream_time), (), 3)
    assert decode(record.key, record.value, record.timestamp) == ChangelogEntry(key, value, max(0, stream_time))


@pytest.mark.parametrize("key", [None, b""])
def test_an_entry_with_a_null_key_is_no_progress_record(key: bytes | None) -> None:
    record = entry_record("app-s-changelog", 0, key, b"1", 5)
    assert decode(record.key, record.value, record.timestamp) == ChangelogEntry(b"null", b"1", 5)


@given(_PROGRESS)
def test_progress_is_decoded_as_it_was_encoded(progress: ChangelogProgress) -> None:
    assert decode(PROGRESS_KEY, encode_progress(progress), 0) == progress


def test_the_progress_record_is_json_with_an_empty_key() -> None:
    (record, other) = progress_records(["a", "b"], 2, 70, BatchProgress(4, 1_000, {"t": [5, 6]}))
    assert record[:2] + record[3:] == ("a", b"", 70, (), 2)
    assert json.loads(record.value or b"") == {"batch": 4, "time": 1_000, "streamTime": 70, "offsets": {"t": [5, 6]}}
    assert other == record._replace(topic="b")


def test_a_task_without_stream_time_has_none_in_its_progress() -> None:
    (record,) = progress_records(["a"], 0, NO_TIME, BatchProgress(0, 1, {}))
    assert record.timestamp == 0
    assert decode(record.key, record.value, 0) == ChangelogProgress(0, 1, None, {})


@pytest.mark.parametrize("value", [None, b"", b"[]", b"{}", b"no", b'{"batch":1,"time":2,"streamTime":3,"offsets":[]}'])
def test_a_record_without_a_key_that_is_no_progress_is_an_error_with_the_fix(value: bytes | None) -> None:
    with pytest.raises(ValueError, match="reset the application"):
        decode(None, value, 0)
