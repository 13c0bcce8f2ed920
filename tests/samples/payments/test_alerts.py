from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.samples.payments.alerts import REFUSED_PAYMENTS
from eddyline.domain.payments import Refusal


def test_the_message_about_a_refused_payment_says_why() -> None:
    refusal = Refusal("p1", 2_000.0, "DE", "limit", "2000.00 is more than 1000.00")
    assert REFUSED_PAYMENTS.message("card-1", refusal) == AlertMessage(
        "p1",
        "Payment refused (limit)",
        "The payment p1 of 2000.00 in DE was refused: 2000.00 is more than 1000.00.",
    )
