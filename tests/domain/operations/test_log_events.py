from typing import Any

import pytest

from eddyline.domain.operations import is_high, severity


def test_error_is_high_unless_others_are_named() -> None:
    assert is_high({"severity": "ERROR", "message": "m"})
    assert not is_high({"severity": "FATAL"})
    assert is_high({"severity": "FATAL"}, ["FATAL", "ERROR"])
    assert not is_high({"severity": "ERROR"}, [])


@pytest.mark.parametrize(
    "event",
    [
        {"severity": "error"},
        {"severity": " ERROR"},
        {"severity": 500},
        {"severity": None},
        {"severity": ["ERROR"]},
        {"message": "ERROR"},
        {},
        None,
    ],
)
def test_what_does_not_name_a_high_severity_letter_by_letter_is_not_high(event: dict[str, Any] | None) -> None:
    assert not is_high(event)


def test_a_severity_is_text() -> None:
    assert severity({"severity": "INFO"}) == "INFO"
    assert severity({"severity": 500}) is None
