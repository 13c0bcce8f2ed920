from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.payments import Approval, ApprovalRules, CardHistory, Payment, Refusal

RULES = ApprovalRules(limit=100.0, most=2, within_ms=1_000, travel_ms=10_000)


def after(*payments: tuple[Payment, int], rules: ApprovalRules = RULES) -> CardHistory:
    def decided(history: CardHistory, asked: tuple[Payment, int]) -> CardHistory:
        payment, at = asked
        return history.after(history.decide(payment, at, rules), at, rules)

    return reduce(decided, payments, CardHistory())


def rule_for(payment: Payment, at: int, history: CardHistory) -> str | None:
    decision = history.decide(payment, at, RULES)
    return decision.rule if isinstance(decision, Refusal) else None


@pytest.mark.parametrize(("amount", "rule"), [(100.0, None), (100.01, "limit")])
def test_an_amount_up_to_the_limit_is_approved(amount: float, rule: str | None) -> None:
    assert rule_for(Payment("p", amount, "DE"), 0, CardHistory()) == rule


@pytest.mark.parametrize(("at", "rule"), [(999, "velocity"), (1_000, None)])
def test_the_payments_of_a_time_are_limited_refused_ones_included(at: int, rule: str | None) -> None:
    history = after((Payment("p1", 500.0, "DE"), 0), (Payment("p2", 5.0, "DE"), 0))
    assert rule_for(Payment("p3", 5.0, "DE"), at, history) == rule


@pytest.mark.parametrize(("at", "rule"), [(9_999, "country"), (10_000, None)])
def test_a_card_needs_time_to_get_to_another_country(at: int, rule: str | None) -> None:
    assert rule_for(Payment("p2", 5.0, "FR"), at, after((Payment("p1", 5.0, "DE"), 0))) == rule


def test_a_refused_payment_does_not_move_a_card_to_its_country() -> None:
    history = after((Payment("p1", 5.0, "DE"), 0), (Payment("p2", 5.0, "JP"), 2_000))
    assert rule_for(Payment("p3", 5.0, "DE"), 4_000, history) is None


def test_a_payment_that_arrives_late_is_compared_with_those_after_it() -> None:
    history = after((Payment("p1", 5.0, "DE"), 9_000))
    assert rule_for(Payment("p0", 5.0, "FR"), 1_000, history) == "country"


def test_payments_that_no_rule_needs_are_forgotten() -> None:
    history = after(*((Payment(f"p{number}", 5.0, "DE"), number * 4_000) for number in range(10)))
    assert [attempt.payment for attempt in history.attempts] == ["p7", "p8", "p9"]
    assert history.has_decided("p7")
    assert not history.has_decided("p6")


@given(st.lists(st.integers(0, 100), max_size=300))
def test_the_memory_of_a_card_is_limited(times: list[int]) -> None:
    history = after(*((Payment(f"p{number}", 5.0, "DE"), at) for number, at in enumerate(times)))
    assert len(history.attempts) == min(len(times), 100)


def test_an_approval_has_what_was_asked_for() -> None:
    assert CardHistory().decide(Payment("p", 5.0, "DE"), 0, RULES) == Approval("p", 5.0, "DE")


@pytest.mark.parametrize("country", ["", "D", "DEU", "de", "Dé", "12", None])
def test_a_country_has_two_letters(country: str) -> None:
    with pytest.raises(ValueError, match=r"^country is .*; it must be the two letters of a country, such as DE$"):
        Payment("p", 5.0, country)


def test_no_more_payments_are_allowed_than_are_remembered() -> None:
    with pytest.raises(ValueError, match=r"^most is 101; it must be at most 100"):
        ApprovalRules(most=101)
