"""The flow payment-approval: payments that are approved, or refused before any money moves."""

from typing import Any

from eddyline import FlowSettingError, KeyValueStore, Processor, ProcessorContext, Record, TopologyBuilder, key_value_store
from eddyline.domain.payments import Approval, ApprovalRules, CardHistory, Payment, Refusal


class ApprovePayments(Processor[str, Payment, str, object]):
    """Decides each payment by the history of its card, which the store `cards` keeps, and forwards the decision at once."""

    def __init__(self, rules: ApprovalRules) -> None:
        self._rules = rules
        self._cards: KeyValueStore[str, CardHistory]

    def init(self, context: ProcessorContext[str, object]) -> None:
        """Open the store."""
        super().init(context)
        self._cards = context.state_store("cards")

    def process(self, record: Record[str, Payment]) -> None:
        """Decide a payment; one that was decided before is dropped."""
        card, payment, at, _ = record
        if None in (card, payment):
            self.context.drop(record, "null-value" if card else "null-key")
            return
        history = self._cards.get(card) or CardHistory()
        if history.has_decided(payment.payment):
            self.context.drop(record, "repeated")
            return
        decision = history.decide(payment, at, self._rules)
        self._cards.put(card, history.after(decision, at, self._rules))
        self.context.forward(Record(card, decision, at))


def payment_approval(
    builder: TopologyBuilder,
    *,
    limit: float = 1_000.0,
    most: int = 5,
    within_ms: int = 60_000,
    travel_ms: int = 3_600_000,
) -> None:
    """Approve or refuse each payment before any money moves.

    Input: `payments`, keyed by card. Output: for each payment either an approval in `approved-payments` or a refusal with its
    reason in `refused-payments`, keyed by card. A payment that is asked for again is dropped.

    A payment is refused if its amount is above `limit`, if the card has made `most` payments within `within_ms` already, refused
    ones included, or if the card's last approved payment was in another country less than `travel_ms` ago.
    """
    try:
        rules = ApprovalRules(limit, most, within_ms, travel_ms)
    except ValueError as error:
        msg = f"invalid setting of flow 'payment-approval': {error}"
        raise FlowSettingError(msg) from None
    builder.add_state_store(key_value_store("cards", key=str, value=CardHistory))
    decisions = (
        builder.stream("payments", key=str, value=Payment)
        .process(lambda: ApprovePayments(rules), stores=["cards"], key=str, value=object, name="approve")
        .split(name="decisions")
        .branch(_is_approval, name="approved")
        .default_branch(name="refused")
    )
    decisions["approved"].map_values(_same, value=Approval).to("approved-payments")
    decisions["refused"].map_values(_same, value=Refusal).to("refused-payments")


def _is_approval(_card: str, decision: object) -> bool:
    return isinstance(decision, Approval)


def _same(decision: object) -> Any:
    return decision
