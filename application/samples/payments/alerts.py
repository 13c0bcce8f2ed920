"""The messages about payments that were refused."""

from eddyline import Alert
from eddyline.domain.payments import Refusal


def _payment(refusal: Refusal) -> str:
    return refusal.payment


def _subject(refusal: Refusal) -> str:
    return f"Payment refused ({refusal.rule})"


def _body(refusal: Refusal) -> str:
    what = f"The payment {refusal.payment} of {refusal.amount:.2f} in {refusal.country} was refused"
    return f"{what}: {refusal.reason}."


REFUSED_PAYMENTS = Alert("refused-payments", to="payments@example.org", subject=_subject, body=_body, identity=_payment)
"""One message for each payment."""
