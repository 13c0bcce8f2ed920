"""The approval of payments: a payment that breaks a rule is refused before any money moves.

All times are milliseconds since the epoch.
"""

import re
from typing import Literal, TypeAlias

from eddyline.domain.value import above_zero, at_least, not_empty, value

Rule: TypeAlias = Literal["limit", "velocity", "country"]
"""What a payment can break: the limit of its amount, the number of payments in a time, or the time to another country."""

MOST_ATTEMPTS = 100
"""How many attempts of a card are remembered at most, so that a thief's robot does not fill the memory."""

_COUNTRY = re.compile(r"[A-Z]{2}")


@value
class Payment:
    """A card is to pay an amount in a country; the payment is named by the shop that asks for it."""

    payment: str
    amount: float
    country: str

    def __post_init__(self) -> None:
        not_empty(payment=self.payment)
        above_zero(amount=self.amount)
        country: object = self.country
        if not (isinstance(country, str) and _COUNTRY.fullmatch(country)):
            raise ValueError(f"country is {country!r}; it must be the two letters of a country, such as DE")


@value
class Approval:
    """A payment was approved."""

    payment: str
    amount: float
    country: str


@value
class Refusal:
    """A payment was refused, because it broke a rule; the reason says how."""

    payment: str
    amount: float
    country: str
    rule: Rule
    reason: str


Decision: TypeAlias = Approval | Refusal


@value
class ApprovalRules:
    """The rules of approval.

    A payment is at most of the amount `limit`. A card makes at most `most` payments within `within_ms`, refused ones included. It
    pays in another country than that of its last approved payment after `travel_ms` at the earliest.
    """

    limit: float = 1_000.0
    most: int = 5
    within_ms: int = 60_000
    travel_ms: int = 3_600_000

    def __post_init__(self) -> None:
        above_zero(limit=self.limit)
        at_least(1, most=self.most)
        at_least(0, within_ms=self.within_ms, travel_ms=self.travel_ms)
        if self.most > MOST_ATTEMPTS:
            raise ValueError(
                f"most is {self.most}; it must be at most {MOST_ATTEMPTS}, the number of payments that are remembered"
            )


@value
class Attempt:
    """A payment of a card that was decided."""

    payment: str
    at: int
    country: str
    approved: bool


@value
class CardHistory:
    """The latest attempts of a card, the first decided first. `CardHistory()` is that of a new card."""

    attempts: tuple[Attempt, ...] = ()

    def has_decided(self, payment: str) -> bool:
        """Decide whether a payment is remembered: one that is asked for again gets no second decision."""
        return any(attempt.payment == payment for attempt in self.attempts)

    def decide(self, payment: Payment, at: int, rules: ApprovalRules) -> Decision:
        """Return whether a payment is approved, or which rule it breaks first."""
        broken = self._broken(payment, at, rules)
        if broken is None:
            return Approval(payment.payment, payment.amount, payment.country)
        return Refusal(payment.payment, payment.amount, payment.country, *broken)

    def after(self, decision: Decision, at: int, rules: ApprovalRules) -> "CardHistory":
        """Return the history with a decision, without the attempts that no rule needs any more."""
        attempt = Attempt(decision.payment, at, decision.country, isinstance(decision, Approval))
        latest = max(attempt.at for attempt in (*self.attempts, attempt))
        oldest = latest - max(rules.within_ms, rules.travel_ms)
        needed = (before for before in self.attempts if before.at >= oldest)
        return CardHistory((*needed, attempt)[-MOST_ATTEMPTS:])

    def _broken(self, payment: Payment, at: int, rules: ApprovalRules) -> tuple[Rule, str] | None:
        if payment.amount > rules.limit:
            return "limit", f"{payment.amount:.2f} is more than {rules.limit:.2f}"
        recent = sum(abs(at - attempt.at) < rules.within_ms for attempt in self.attempts)
        if recent >= rules.most:
            return "velocity", f"it is payment {recent + 1} within {rules.within_ms / 1000:g} s; {rules.most} are allowed"
        for attempt in reversed(self.attempts):
            if attempt.approved:
                gap_ms = abs(at - attempt.at)
                if attempt.country != payment.country and gap_ms < rules.travel_ms:
                    return "country", f"the card paid in {attempt.country} within {max(1, round(gap_ms / 60_000))} min"
                break
        return None
