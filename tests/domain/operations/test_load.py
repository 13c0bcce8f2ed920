import pytest

from eddyline.domain.operations import LoadPercentiles, Overload, ServiceLoad


@pytest.mark.parametrize(("p99", "expected"), [(90.0, None), (90.1, Overload("web", 5, 90.1, 90.0))])
def test_a_service_is_overloaded_above_the_limit(p99: float, expected: Overload | None) -> None:
    assert LoadPercentiles(10, 99.0, p99, 99.0).overload("web", 5, 90.0) == expected


def test_no_estimate_exceeds_the_highest_load() -> None:
    assert LoadPercentiles(3, 41.2, 59.7, 59.6).p99 == 59.6
    assert LoadPercentiles(1, 50.3, 50.3, 50.0) == LoadPercentiles(1, 50.0, 50.0, 50.0)


@pytest.mark.parametrize(
    ("service", "load", "name"), [("", 1.0, "service"), ("web", -0.1, "load"), ("web", float("nan"), "load")]
)
def test_a_load_is_of_a_service_and_not_negative(service: str, load: float, name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} is "):
        ServiceLoad(service, load)


def test_an_idle_host_has_no_load() -> None:
    assert ServiceLoad("web", 0.0).load == 0.0
