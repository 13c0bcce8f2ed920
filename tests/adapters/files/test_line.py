import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.files.line import format_line
from eddyline.adapters.files.line_parser import parse_lines
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from tests.ports.records import any_headers, contents, records


def _parse(line: str | bytes) -> LogRecord:
    [record] = parse_lines("t", 0, 0, line if isinstance(line, bytes) else line.encode())
    return record


def _format(key: bytes | None, value: bytes | None, headers: Headers = ()) -> str:
    return format_line(SinkRecord("t", key, value, 5, headers))


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        (b"AAPL", b'{"price":1.50}', '{"timestamp":5,"key":"AAPL","value":{"price":1.50}}'),
        (None, None, '{"timestamp":5,"key":null,"value":null}'),
        (b"12", b"12", '{"timestamp":5,"key":"12","value":12}'),
        (b"", b"", '{"timestamp":5,"key":"","value":""}'),
        (b"null", b"null", '{"timestamp":5,"key":"null","value":"null"}'),
        (b"k", b"true", '{"timestamp":5,"key":"k","value":true}'),
        (b'["a",1]', b'[1, "a"]', '{"timestamp":5,"key":["a",1],"value":[1, "a"]}'),
        (b"k", b'"quoted"', '{"timestamp":5,"key":"k","value":"\\"quoted\\""}'),
        (b"k", b'{"a":\n1}', '{"timestamp":5,"key":"k","value":"{\\"a\\":\\n1}"}'),
        (b"k", b"{not json}", '{"timestamp":5,"key":"k","value":"{not json}"}'),
        (b"k", b"[NaN]", '{"timestamp":5,"key":"k","value":"[NaN]"}'),
        (b"k", b"9" * 5000, '{"timestamp":5,"key":"k","value":"' + "9" * 5000 + '"}'),
        ("ключ".encode(), "tab\té".encode(), '{"timestamp":5,"key":"ключ","value":"tab\\té"}'),
        (b'{"key":"FB", "window":{"start":1}}', b"{}", '{"timestamp":5,"key":{"key":"FB", "window":{"start":1}},"value":{}}'),
        (b"{}", None, '{"timestamp":5,"key":{},"value":null}'),
        (b'{"base64":1}', b"[]", '{"timestamp":5,"key":{"base64":1},"value":[]}'),
        (b"\xff", b"\x00\xff", '{"timestamp":5,"key":{"base64":"/w=="},"value":{"base64":"AP8="}}'),
        (b"k", b'{"base64":"AP8="}', '{"timestamp":5,"key":"k","value":"{\\"base64\\":\\"AP8=\\"}"}'),
    ],
)
def test_a_record_is_written_in_readable_form_and_read_back_unchanged(key: bytes | None, value: bytes | None, line: str) -> None:
    assert _format(key, value) == line
    assert _parse(line) == LogRecord("t", 0, 0, 5, key, value)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ((("trace", b"abc"), ("none", None)), '{"trace":"abc","none":null}'),
        ((("n", b"1"), ("o", b"{}")), '{"n":"1","o":"{}"}'),
        ((("a", b"1"), ("a", b"\xff")), '[["a","1"],["a",{"base64":"/w=="}]]'),
    ],
)
def test_headers_are_an_object_unless_a_name_occurs_twice(headers: Headers, expected: str) -> None:
    line = _format(None, b"v", headers)
    assert line == '{"timestamp":5,"key":null,"value":"v","headers":' + expected + "}"
    assert _parse(line).headers == headers


@given(st.none() | contents, st.none() | contents, st.integers(-(2**63), 2**63 - 1), any_headers)
def test_any_record_is_one_line_and_is_read_back_unchanged(
    key: bytes | None, value: bytes | None, timestamp: int, headers: Headers
) -> None:
    line = format_line(SinkRecord("t", key, value, timestamp, headers))
    assert "\n" not in line
    assert isinstance(json.loads(line), dict)
    assert _parse(line) == LogRecord("t", 0, 0, timestamp, key, value, headers)


@given(records("t"))
def test_both_parsers_read_the_lines_of_a_sink_alike(sink_records: list[SinkRecord]) -> None:
    lines = [format_line(record) for record in sink_records]
    assert parse_lines("t", 0, 0, "\n".join(lines).encode()) == parse_lines(
        "t", 0, 0, "\n".join(f" {line}" for line in lines).encode()
    )


@pytest.mark.parametrize(
    ("line", "record"),
    [
        ('{"value": "hello", "timestamp": 5}', LogRecord("t", 0, 0, 5, None, b"hello")),
        ('  { "timestamp" : 5 , "value" : { "a" : 1.0 } , "key":"k" }\r', LogRecord("t", 0, 0, 5, b"k", b'{ "a" : 1.0 }')),
        ('{"timestamp":5,"arrival":7,"key":"k","value":{}}', LogRecord("t", 0, 0, 5, b"k", b"{}", (), 7)),
        ('{"timestamp":5,"key":null,"value":1e400,"arrival":0}', LogRecord("t", 0, 0, 5, None, b"1e400", (), 0)),
        ('{"timestamp":5,"value":"\\u00e9","headers":[]}', LogRecord("t", 0, 0, 5, None, "é".encode())),
        (
            '{"timestamp":5,"value":{"a":"\\ud800"},"headers":{"a":"b"}}',
            LogRecord("t", 0, 0, 5, None, b'{"a":"\\ud800"}', (("a", b"b"),)),
        ),
        ('{"timestamp":5,"key":[1], "value":{}}', LogRecord("t", 0, 0, 5, b"[1]", b"{}")),
        ('{"timestamp":5,"key":[1],"headers":{},"value":{}}', LogRecord("t", 0, 0, 5, b"[1]", b"{}")),
        ('{"timestamp":5,"value":{"base64":"/w==","more":1}}', LogRecord("t", 0, 0, 5, None, b'{"base64":"/w==","more":1}')),
    ],
)
def test_fields_may_be_in_any_order_with_any_spacing_and_json_is_kept_byte_for_byte(line: str, record: LogRecord) -> None:
    assert _parse(line) == record


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("hello", "not JSON: Expecting value at column 1"),
        ('{"timestamp":5,"key":"a","value":{"a":}}', "not JSON: Expecting value at column 39"),
        ('{"timestamp":5,"key":"a","value":1} x', "not JSON: unexpected text after the object, at column 36"),
        ('{"timestamp":5,"key":"a","value":NaN}', "not JSON: NaN is not a JSON number"),
        ("[1]", "not a JSON object but an array"),
        ("5", "not a JSON object but a number"),
        ('{"value":1}', "'timestamp' is missing; write milliseconds since the epoch"),
        (
            '{"timestamp":"2024-01-01","value":1}',
            "'timestamp' must be an integer, in milliseconds since the epoch, not '\"2024-01-01\"'",
        ),
        (
            '{"timestamp":9223372036854775808,"value":1}',
            "'timestamp' must be an integer, in milliseconds since the epoch, not '9223372036854775808'",
        ),
        ('{"timestamp":true,"value":1}', "'timestamp' must be an integer, in milliseconds since the epoch, not 'true'"),
        ('{"timestamp":5}', "'value' is missing; write null for a tombstone"),
        ('{"timestamp":5,"value":1,"kye":"a"}', "unknown field 'kye'; the fields are timestamp, key, value, headers, arrival"),
        ('{"timestamp":5,"value":1,"value":2}', "field 'value' occurs twice"),
        ('{"timestamp":5,"key":1,"value":1}', "'key' must be a string, an object, an array or null, not '1'"),
        (
            '{"timestamp":5,"key":' + "1" * 60 + ',"value":1}',
            f"'key' must be a string, an object, an array or null, not '{'1' * 60}'",
        ),
        (
            '{"timestamp":5,"key":' + "1" * 61 + ',"value":1}',
            f"'key' must be a string, an object, an array or null, not '{'1' * 59}…'",
        ),
        ('{"timestamp":5,"arrival":-1,"value":1}', "'arrival' must be a non-negative integer, not '-1'"),
        ('{"timestamp":5,"value":{"base64":"?"}}', "'value' is not valid base64: Only base64 data is allowed"),
        ('{"timestamp":5,"value":"\\ud800"}', "'value' contains an unpaired surrogate, which UTF-8 cannot encode"),
        ('{"timestamp":5,"key":"a","value":"\\ud800"}', "'value' contains an unpaired surrogate, which UTF-8 cannot encode"),
        ('{"timestamp":5,"value":1,"headers":5}', "'headers' must be an object, or an array of [name, value] pairs"),
        (
            '{"timestamp":5,"value":1,"headers":[["a"]]}',
            "a header must have a name and a value that is a string, null or a base64 object",
        ),
        (
            '{"timestamp":5,"value":1,"headers":{"a":1}}',
            "a header must have a name and a value that is a string, null or a base64 object",
        ),
        (
            '{"timestamp":5,"value":1,"headers":{"a":"1","a":"2"}}',
            "a header name occurs twice in the object; write an array of [name, value] pairs instead",
        ),
        ('{"timestamp":5,"value":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ],
)
def test_a_line_that_is_not_a_record_is_returned_completely_with_the_reason(line: str, error: str) -> None:
    assert _parse(line) == LogRecord("t", 0, 0, -1, None, line.encode(), (), None, error)


def test_bytes_that_are_not_utf_8_invalidate_only_their_own_line() -> None:
    valid = b'{"timestamp":5,"value":"v"}'
    invalid = b'{"timestamp":5,"value":"\xff"}'
    assert parse_lines("t", 0, 10, b"\n".join([valid, invalid, b"", valid])) == [
        LogRecord("t", 0, 10, 5, None, b"v"),
        LogRecord("t", 0, 11, -1, None, invalid, error="not UTF-8 at byte 24 of the line"),
        LogRecord("t", 0, 13, 5, None, b"v"),
    ]


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), min_size=1))
def test_lines_of_any_bytes_have_their_offsets(lines: list[bytes]) -> None:
    for record in parse_lines("t", 0, 100, b"\n".join(lines)):
        assert record.error is None or record.value == lines[record.offset - 100]
