"""Payments at tills, what a shop takes, and when that makes it busy."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Payment:
    """A customer paid `amount` euros at a till of a shop."""

    shop: str
    amount: float


@dataclass(frozen=True, slots=True)
class BusyShop:
    """The fact that a shop took more than it should have in one span of time."""

    shop: str
    payments: int
    total: float


@dataclass(frozen=True, slots=True)
class Takings:
    """The payments of one shop in one span of time."""

    payments: int = 0
    total: float = 0.0

    def add(self, payment: Payment) -> "Takings":
        """Return the takings with one more payment."""
        return Takings(self.payments + 1, self.total + payment.amount)

    def merge(self, other: "Takings") -> "Takings":
        """Return the takings of both."""
        return Takings(self.payments + other.payments, self.total + other.total)

    def exceed(self, limit: float) -> bool:
        """Return whether the total is above the limit, in euros."""
        return self.total > limit

    def busy(self, shop: str) -> BusyShop:
        """Return the fact to report about a shop whose takings exceed the limit."""
        return BusyShop(shop, self.payments, self.total)
