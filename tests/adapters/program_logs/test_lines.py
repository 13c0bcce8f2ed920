import time
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.program_logs.lines import UNKNOWN, LogLine, log_events

NOON = 1_767_614_400_000
"""2026-01-05 12:00:00 UTC."""


def events(*lines: str) -> list[LogLine]:
    return list(log_events(lines, zone=UTC))


@pytest.mark.parametrize(
    ("line", "expected", "timestamp"),
    [
        pytest.param(
            "2026-01-05T12:00:00.250Z [main] WARN kafka.Server - [id=1] is slow - very",
            {"severity": "WARN", "message": "[id=1] is slow - very", "logger": "kafka.Server", "thread": "main"},
            NOON + 250,
            id="slf4j",
        ),
        pytest.param(
            "11616 [main] ERROR kafka.Server - gone",
            {"severity": "ERROR", "message": "gone", "logger": "kafka.Server", "thread": "main"},
            None,
            id="slf4j, milliseconds since the start",
        ),
        pytest.param(
            "[2026-01-05 12:00:00,007] ERROR Error: disk full - (really) (kafka.log.LogManager)",
            {"severity": "ERROR", "message": "Error: disk full - (really)", "logger": "kafka.log.LogManager"},
            NOON + 7,
            id="kafka's log4j",
        ),
        pytest.param(
            "26/01/05 12:00:00 WARNING NativeCodeLoader: no native library",
            {"severity": "WARN", "message": "no native library", "logger": "NativeCodeLoader"},
            NOON,
            id="spark's log4j",
        ),
        pytest.param(
            "2026-01-05 13:00:00+01:00 INFO  [worker-1] a.b.C - done",
            {"severity": "INFO", "message": "done", "logger": "a.b.C", "thread": "worker-1"},
            NOON,
            id="log4j with the thread after the level",
        ),
        pytest.param(
            "2026-01-05 12:00:00 FATAL the end", {"severity": "FATAL", "message": "the end"}, NOON, id="without a logger"
        ),
        pytest.param(
            "2026-01-05 12:00:00 status half-installed libc6:amd64 2.36",
            {"severity": "INFO", "message": "status half-installed libc6:amd64 2.36"},
            NOON,
            id="dpkg",
        ),
    ],
)
def test_a_line_in_a_known_format_is_parsed(line: str, expected: dict[str, Any], timestamp: int | None) -> None:
    assert events(line) == [(expected, timestamp)]


@pytest.mark.parametrize("line", ["", "hello", "ERROR", "2026-13-45 12:00:00 ERROR no such day", "2026-01-05 12:00:00 hello"])
def test_a_line_in_an_unknown_format_is_a_message_of_unknown_severity(line: str) -> None:
    assert events(line) == [({"severity": UNKNOWN, "message": line}, None)]


def test_a_time_beyond_the_calendar_in_the_zone_of_the_system_is_an_unknown_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XXX+5")
    time.tzset()
    try:
        (found,) = log_events(["9999-12-31 23:59:59 ERROR the end"])
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found == ({"severity": UNKNOWN, "message": "9999-12-31 23:59:59 ERROR the end"}, None)


def test_the_lines_of_a_stack_trace_have_the_severity_of_their_error() -> None:
    lines = [
        "java.lang.IllegalStateException: alone",
        "2026-01-05T12:00:00Z [main] ERROR a.B - it broke",
        "java.lang.IllegalStateException: because",
        "Caused by: java.io.IOException",
        "\tat a.B.run(B.java:1)",
        "something else",
        "\tat nowhere",
    ]
    found = events(*lines)
    assert [line.event["severity"] for line in found] == [UNKNOWN, "ERROR", "ERROR", "ERROR", "ERROR", UNKNOWN, UNKNOWN]
    assert [line.timestamp for line in found] == [None] + [NOON] * 6
    assert [line.event.get("continued", False) for line in found] == [False, False, True, True, True, False, False]
    assert [line.event["message"] for line in found[2:]] == lines[2:]


def test_every_event_has_the_service() -> None:
    assert [line.event["service"] for line in log_events(["a", "12 [main] INFO b - c"], service="broker")] == ["broker"] * 2


_PIECES = [
    "2026-01-05 12:00:00",
    "[2026-01-05 12:00:00,1]",
    "17",
    "[main]",
    "ERROR",
    "INFO",
    "a.b.C - ",
    "(a.b.C)",
    " ",
    "status",
]


@given(st.lists(st.lists(st.sampled_from(_PIECES) | st.text(max_size=5), max_size=6).map(" ".join)))
def test_every_line_becomes_one_event_with_its_text(lines: list[str]) -> None:
    found = list(log_events(lines, zone=UTC))
    assert len(found) == len(lines)
    for line, (event, _timestamp) in zip(lines, found, strict=True):
        assert event["severity"] == UNKNOWN or event["severity"] in {"INFO", "ERROR"}
        assert str(event["message"]) in line
        assert str(event.get("logger", "")) in line
