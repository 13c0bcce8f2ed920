import pytest

from eddyline.domain.operations import LogEvent, Triage


def test_error_is_the_only_high_severity_by_default() -> None:
    assert Triage().is_high(LogEvent("ERROR", "m"))
    assert not Triage().is_high(LogEvent("FATAL", "m"))


def test_other_severities_can_be_high() -> None:
    assert Triage(frozenset({"FATAL", "ERROR"})).is_high(LogEvent("FATAL", "m"))
    assert not Triage(frozenset()).is_high(LogEvent("ERROR", "m"))


@pytest.mark.parametrize("severity", ["error", " ERROR", "WARN"])
def test_an_event_without_exactly_a_high_severity_is_not_high(severity: str) -> None:
    assert not Triage().is_high(LogEvent(severity, "m"))


def test_an_event_has_a_severity() -> None:
    with pytest.raises(ValueError, match="severity is ' '; it must be a text that is not empty"):
        LogEvent(" ", "m")
