"""Simulated cards that pay in shops, and thieves who use some of them."""

from itertools import cycle
from random import Random
from typing import Annotated

from eddyline.application.samples.simulation.events import (
    MINUTE,
    SECOND,
    START_MS,
    Least,
    Timeline,
    happens,
    names,
)
from eddyline.domain.payments import Payment

_COUNTRIES = ("AT", "DE", "ES", "FR", "IT", "NL", "PL")
_FAR_AWAY = ("AU", "BR", "JP", "US")
_REPEATED = 0.01


def simulate_payment_approval(
    timeline: Timeline,
    *,
    cards: Annotated[int, "Number of cards.", Least(1)] = 200,
    payments: Annotated[int, "Number of payments of the owners of the cards."] = 2_000,
    frauds: Annotated[int, "Number of frauds: a large payment, a burst of payments, or one in another country."] = 30,
) -> None:
    """Simulate payments of small amounts, some of which are asked for twice, and frauds."""
    rng, start_ms = timeline.rng, timeline.start_ms
    shop = _Shops(rng, timeline, start_ms - START_MS)
    owned = list(zip(names("card", cards), cycle(_COUNTRIES)))
    at, every = start_ms, max(1, payments // (frauds + 1))
    for number in range(payments):
        at += rng.randint(0, 2 * SECOND)
        card, country = rng.choice(owned)
        shop.ask(card, round(rng.uniform(2, 250), 2), country, at)
        if number % every == every - 1 and number // every < frauds:
            _commit_fraud(rng, shop, rng.choice(owned), number // every, at)


class _Shops:
    """The shops, which number the payments that they ask for."""

    def __init__(self, rng: Random, timeline: Timeline, number: int) -> None:
        self.timeline = timeline
        self._rng = rng
        self._number = number

    def ask(self, card: str, amount: float, country: str, at: int) -> None:
        """Ask for a payment, sometimes twice."""
        self._number += 1
        payment = Payment(f"p{self._number:07}", amount, country)
        self.timeline.add("payments", card, payment, at)
        if happens(self._rng, _REPEATED):
            self.timeline.add("payments", card, payment, at + self._rng.randint(1, SECOND))


def _commit_fraud(rng: Random, shops: _Shops, card_and_country: tuple[str, str], kind: int, at: int) -> None:
    card, country = card_and_country
    if kind % 3 == 0:
        shops.ask(card, round(rng.uniform(1_500, 9_000), 2), country, at)
    elif kind % 3 == 1:
        for _ in range(8):
            at += rng.randint(200, 900)
            shops.ask(card, round(rng.uniform(5, 50), 2), country, at)
    else:
        shops.ask(card, round(rng.uniform(5, 50), 2), country, at)
        shops.ask(card, round(rng.uniform(100, 900), 2), rng.choice(_FAR_AWAY), at + rng.randint(SECOND, MINUTE // 4))
