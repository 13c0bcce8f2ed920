from typing import Any

import pytest

from eddyline.domain.operations import Triage, severity_of


def test_error_is_the_only_high_severity_by_default() -> None:
    assert Triage().is_high({"severity": "ERROR", "message": "m"})
    assert not Triage().is_high({"severity": "FATAL"})


def test_other_severities_can_be_high() -> None:
    assert Triage(frozenset({"FATAL", "ERROR"})).is_high({"severity": "FATAL"})
    assert not Triage(frozenset()).is_high({"severity": "ERROR"})


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
def test_an_event_without_exactly_a_high_severity_is_not_high(event: dict[str, Any] | None) -> None:
    assert not Triage().is_high(event)


def test_a_severity_is_a_string() -> None:
    assert severity_of({"severity": "INFO"}) == "INFO"
    assert severity_of({"severity": 500}) is None
