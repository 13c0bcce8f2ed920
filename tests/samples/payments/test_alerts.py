from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.samples.payments.alerts import refusal_message
from eddyline.domain.payments import Refusal


def test_the_message_about_a_refused_payment_says_why() -> None:
    refusal = Refusal("p1", 2_000.0, "DE", "limit", "2000.00 is more than 1000.00")
    assert refusal_message("card-1", refusal) == AlertMessage(
        "card-1/p1",
        "Payment refused (limit)",
        "The payment p1 of 2000.00 in DE by the card card-1 was refused: 2000.00 is more than 1000.00.",
    )
