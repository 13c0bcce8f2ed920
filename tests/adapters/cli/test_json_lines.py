import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.records.lines import from_json_line
from eddyline.adapters.cli.times import parse_duration, parse_time
from eddyline.application.ports.event_sink import SinkRecord


def parsed(line: str) -> SinkRecord:
    return from_json_line(line, "t", str.encode, str.encode)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"timestamp": "2026-01-01"}', "timestamp must be an integer, in ms since the epoch, not '2026-01-01'"),
        ('{"timestamp": 1.5}', "timestamp must be an integer, in ms since the epoch, not 1.5"),
        ('{"timestamp": true}', "timestamp must be an integer"),
        ('{"timestamp": -2}', "timestamp must be an integer"),
        (f'{{"timestamp": {2**63}}}', "timestamp must be an integer"),
        ('{"partition": "0"}', "partition must be the number of a partition, not '0'"),
        ('{"partition": -1}', "partition must be the number of a partition, not -1"),
        (f'{{"partition": {2**31}}}', "partition must be the number of a partition"),
        ('{"headers": 5}', "invalid headers '5': write an object, or an array of [name, value] pairs"),
        ('{"headers": ["ab"]}', "write an object, or an array of [name, value] pairs"),
        ('{"headers": [[1, "a"]]}', "the name of a header must be a string"),
        ('{"value": {"base64": "?"}}', "not valid base64"),
        ('{"value": {"base64": "\u00e4"}}', "not valid base64"),
        ('{"value": "\\ud800"}', "an unpaired surrogate, which UTF-8 cannot encode"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 10_000, "not JSON"),
    ],
)
def test_a_line_that_is_not_a_record_is_refused_with_the_reason(line: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parsed(line)
    assert message in str(refused.value)


def test_the_limits_of_timestamps_and_partitions_are_accepted() -> None:
    record = parsed(f'{{"timestamp": {2**63 - 1}, "partition": {2**31 - 1}}}')
    assert (record.timestamp, record.partition) == (2**63 - 1, 2**31 - 1)
    assert (parsed('{"partition": 0}').timestamp, parsed('{"partition": 0}').partition) == (-1, 0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["base64", "error", "x"]), inner),
)
FIELDS = st.sampled_from(["key", "value", "timestamp", "headers", "partition", "topic", "offset"])


@given(st.dictionaries(FIELDS, JSON))
def test_any_object_is_a_record_or_an_error_of_usage(fields: dict[str, Any]) -> None:
    with contextlib.suppress(UsageError):
        assert isinstance(parsed(json.dumps(fields)), SinkRecord)


@pytest.mark.parametrize("text", ["\u00b2", "9" * 5_000, "9" * 20, "P1D", ""])
def test_a_text_that_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="invalid time"):
        parse_time(text)


@pytest.mark.parametrize("text", ["P1000000000D", "P" + "9" * 400 + "D", "PT" + "9" * 5_000 + "S"])
def test_a_duration_that_is_too_long_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="invalid duration"):
        parse_duration(text)
