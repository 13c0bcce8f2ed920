import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.files.line import format_line
from eddyline.adapters.files.line_parser import parse_lines
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from tests.ports.records import contents, headers, records


def _parse(line: str | bytes) -> LogRecord:
    [record] = parse_lines("t", 0, 0, line if isinstance(line, bytes) else line.encode())
    return record


def _format(key: bytes | None, value: bytes | None, given_headers: Headers = ()) -> str:
    return format_line(SinkRecord("t", key, value, 5, given_headers))


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
        (b"\xff", b"\x00\xff", '{"timestamp":5,"key":{"base64":"/w=="},"value":{"base64":"AP8="}}'),
        (b"k", b'{"base64":"AP8="}', '{"timestamp":5,"key":"k","value":"{\\"base64\\":\\"AP8=\\"}"}'),
    ],
)
def test_a_record_is_written_as_a_person_would_write_it_and_read_back(key: bytes | None, value: bytes | None, line: str) -> None:
    assert _format(key, value) == line
    assert _parse(line) == LogRecord("t", 0, 0, 5, key, value)


@pytest.mark.parametrize(
    ("given_headers", "written"),
    [
        ((("trace", b"abc"), ("none", None)), '{"trace":"abc","none":null}'),
        ((("n", b"1"), ("o", b"{}")), '{"n":"1","o":"{}"}'),
        ((("a", b"1"), ("a", b"\xff")), '[["a","1"],["a",{"base64":"/w=="}]]'),
    ],
)
def test_headers_are_an_object_unless_a_name_occurs_twice(given_headers: Headers, written: str) -> None:
    line = _format(None, b"v", given_headers)
    assert line == '{"timestamp":5,"key":null,"value":"v","headers":' + written + "}"
    assert _parse(line).headers == given_headers


@given(st.none() | contents, st.none() | contents, st.integers(-(2**63), 2**63 - 1), headers)
def test_any_bytes_come_back_and_take_one_line(
    key: bytes | None, value: bytes | None, timestamp: int, given_headers: Headers
) -> None:
    line = format_line(SinkRecord("t", key, value, timestamp, given_headers))
    assert "\n" not in line
    assert isinstance(json.loads(line), dict)
    assert _parse(line) == LogRecord("t", 0, 0, timestamp, key, value, given_headers)


@given(records("t"))
def test_a_sinks_line_means_the_same_when_it_is_not_recognised_as_one(written: list[SinkRecord]) -> None:
    lines = [format_line(record) for record in written]
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
        ('{"timestamp":5,"value":{"base64":"/w==","more":1}}', LogRecord("t", 0, 0, 5, None, b'{"base64":"/w==","more":1}')),
    ],
)
def test_a_persons_line_may_have_any_order_and_blanks_and_its_json_is_kept_byte_for_byte(line: str, record: LogRecord) -> None:
    assert _parse(line) == record


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("hello", "not JSON: Expecting value at column 1"),
        ('{"timestamp":5,"key":"a","value":{"a":}}', "not JSON: Expecting value at column 39"),
        ('{"timestamp":5,"key":"a","value":1} x', "not JSON: something follows the object at column 36"),
        ('{"timestamp":5,"key":"a","value":NaN}', "not JSON: NaN is no JSON number"),
        ("[1]", "not an object but a list"),
        ("5", "not an object but a number"),
        ('{"value":1}', "'timestamp' must be a whole number of milliseconds since the epoch"),
        ('{"timestamp":"2024-01-01","value":1}', "'timestamp' must be a whole number of milliseconds since the epoch"),
        ('{"timestamp":9223372036854775808,"value":1}', "'timestamp' must be a whole number of milliseconds since the epoch"),
        ('{"timestamp":true,"value":1}', "'timestamp' must be a whole number of milliseconds since the epoch"),
        ('{"timestamp":5}', "there is no 'value'; write null for a tombstone"),
        ('{"timestamp":5,"value":1,"kye":"a"}', "unknown field 'kye'; a line has timestamp, key, value, headers, arrival"),
        ('{"timestamp":5,"value":1,"value":2}', "field 'value' occurs twice"),
        ('{"timestamp":5,"key":1,"value":1}', "'key' must be a text, an object, a list or null"),
        ('{"timestamp":5,"arrival":-1,"value":1}', "'arrival' must be a whole number from 0 on"),
        ('{"timestamp":5,"value":{"base64":"?"}}', "'value' is no base64: Only base64 data is allowed"),
        ('{"timestamp":5,"value":"\\ud800"}', "'value' holds half of a surrogate pair, which UTF-8 cannot"),
        ('{"timestamp":5,"key":"a","value":"\\ud800"}', "'value' holds half of a surrogate pair, which UTF-8 cannot"),
        ('{"timestamp":5,"value":1,"headers":5}', "'headers' must be an object, or a list of [name, value]"),
        (
            '{"timestamp":5,"value":1,"headers":[["a"]]}',
            "a header needs a name and a value that is a text, null or a base64 object",
        ),
        (
            '{"timestamp":5,"value":1,"headers":{"a":1}}',
            "a header needs a name and a value that is a text, null or a base64 object",
        ),
        (
            '{"timestamp":5,"value":1,"headers":{"a":"1","a":"2"}}',
            "a header occurs twice in an object; write a list of [name, value]",
        ),
        ('{"timestamp":5,"value":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ],
)
def test_a_line_that_is_no_record_comes_whole_with_what_is_wrong(line: str, error: str) -> None:
    assert _parse(line) == LogRecord("t", 0, 0, -1, None, line.encode(), (), None, error)


def test_bytes_that_are_not_utf_8_spoil_only_their_own_line() -> None:
    good = b'{"timestamp":5,"value":"v"}'
    bad = b'{"timestamp":5,"value":"\xff"}'
    assert parse_lines("t", 0, 10, b"\n".join([good, bad, b"", good])) == [
        LogRecord("t", 0, 10, 5, None, b"v"),
        LogRecord("t", 0, 11, -1, None, bad, error="not UTF-8 at byte 24 of the line"),
        LogRecord("t", 0, 13, 5, None, b"v"),
    ]


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), min_size=1))
def test_lines_of_any_bytes_come_with_their_offsets(lines: list[bytes]) -> None:
    for record in parse_lines("t", 0, 100, b"\n".join(lines)):
        assert record.error is None or record.value == lines[record.offset - 100]
