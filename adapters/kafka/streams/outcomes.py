"""What the errors of a commit mean."""

from typing import Final

from confluent_kafka import KafkaException

_LOST: Final = {
    "_FATAL",
    "_FENCED",
    "FENCED_INSTANCE_ID",
    "INVALID_PRODUCER_EPOCH",
    "INVALID_PRODUCER_ID_MAPPING",
    "INVALID_TXN_STATE",
    "PRODUCER_FENCED",
}
_FAILED_BEFORE: Final = "_STATE"
"""What the client says to every call once a transaction has failed, until it is aborted."""
_REBALANCING: Final = {"ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "UNKNOWN_MEMBER_ID", "UNSTABLE_OFFSET_COMMIT"}


def is_lost(error: KafkaException) -> bool:
    """Return whether another producer has taken over, or this one cannot be used any more."""
    return error.args[0].name() in _LOST or error.args[0].fatal()


def can_be_repeated(error: KafkaException) -> bool:
    """Return whether the transaction can be aborted and written again, such as while the group is rebalancing."""
    return error.args[0].txn_requires_abort() or error.args[0].name() in {*_REBALANCING, _FAILED_BEFORE}
