"""The messages about payments that were refused."""

from eddyline.application.flows.alerts import AlertMessage, AlertTopic
from eddyline.domain.payments import Refusal


def refusal_message(card: str | None, refusal: Refusal) -> AlertMessage:
    """Return the message that a payment of a card was refused; there is one for each payment."""
    what = f"The payment {refusal.payment} of {refusal.amount:.2f} in {refusal.country} by the card {card} was refused"
    return AlertMessage(f"{card}/{refusal.payment}", f"Payment refused ({refusal.rule})", f"{what}: {refusal.reason}.")


REFUSED_PAYMENTS = AlertTopic("refused-payments", str, Refusal, refusal_message)
