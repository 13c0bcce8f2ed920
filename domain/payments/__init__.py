"""Payments by card, which are approved or refused before any money moves."""

from eddyline.domain.payments.approval import (
    Approval,
    ApprovalRules,
    Attempt,
    CardHistory,
    Decision,
    Payment,
    Refusal,
    Rule,
)

__all__ = ["Approval", "ApprovalRules", "Attempt", "CardHistory", "Decision", "Payment", "Refusal", "Rule"]
