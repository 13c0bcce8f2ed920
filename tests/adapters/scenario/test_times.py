"""Times and durations in tables."""

import pytest

from eddyline.adapters.scenario.times import milliseconds, time_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("250 ms", 250),
        ("12 s", 12_000),
        ("69.999 min", 4_199_940),
        ("1.5 h", 5_400_000),
        ("1 d", 86_400_000),
        ("-2 s", -2_000),
        ("42", 42),
        ("1970-01-01T00:00:01Z", 1_000),
        ("2024-03-31T00:00+01:00", 1_711_839_600_000),
    ],
)
def test_durations_and_times_are_milliseconds(text: str, expected: int) -> None:
    assert milliseconds(text) == expected


def test_a_time_needs_a_utc_offset() -> None:
    with pytest.raises(ValueError, match=r"time '2024-03-31T00:00' has no UTC offset; write '2024-03-31T00:00Z' or .*\+01:00'"):
        milliseconds("2024-03-31T00:00")


def test_other_text_is_refused_with_examples() -> None:
    with pytest.raises(ValueError, match=r"'5 weeks' is neither a duration such as '5 s' or '1.5 min' nor a time such as '2024-"):
        milliseconds("5 weeks")


@pytest.mark.parametrize("text", ["0 s", "12 s", "12500 ms", "2024-03-30T23:00:00Z", "1969-12-31T23:59:59Z"])
def test_what_is_written_can_be_read_again(text: str) -> None:
    assert time_text(milliseconds(text)) == text
