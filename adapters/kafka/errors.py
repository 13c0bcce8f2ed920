"""Exceptions of the Kafka adapters; no message contains a secret.

BrokerError                     the brokers rejected a request, or it failed
├── AuthenticationError         the brokers rejected the client's credentials, or one side rejected the other's certificate
├── AuthorizationError          the client's principal lacks a permission (ACL)
├── BrokerUnavailableError      the brokers did not answer in time; a later attempt may succeed
├── DeliveryError               records could not be written
│   └── RecordsRejectedError    records that their topics or the client do not accept, for a reason of their own
└── ProducerFencedError         a producer was fenced repeatedly
GroupError (LookupError)        a consumer group does not exist, or its offsets cannot be reset
└── GroupActiveError            the group has members that must be stopped first
KafkaSettingsError (ValueError) a client setting is unknown or invalid
"""

from collections.abc import Mapping

from eddyline.application.ports.availability import ServiceUnavailableError
from eddyline.application.ports.event_sink import Content, RejectedRecordsError


class BrokerError(RuntimeError):
    """A request that the brokers rejected, or that failed."""


class AuthenticationError(BrokerError):
    """A failed SASL or TLS authentication; the message names the settings to check."""


class AuthorizationError(BrokerError):
    """An operation that the ACLs of the cluster do not permit; the message names the resource type."""


class BrokerUnavailableError(BrokerError, ServiceUnavailableError):
    """A request that was not answered in time; a later attempt may succeed."""


class DeliveryError(BrokerError):
    """Records that could not be written; the message names topic, partition and reason."""


class RecordsRejectedError(DeliveryError, RejectedRecordsError):
    """Records that their topics or the client do not accept.

    Args:
        message: names topic, key, size and reason of the first ones.
        rejected: the reason for each of them.
        certain: whether each is rejected for a reason of its own. The brokers reject whole requests, so records that were sent
            together with a rejected one are reported, too.
    """

    def __init__(self, message: str, rejected: Mapping[Content, Exception], *, certain: bool) -> None:
        RejectedRecordsError.__init__(self, message, rejected)
        self.certain = certain


class ProducerFencedError(BrokerError):
    """A producer that was fenced repeatedly: by another one with its transactional id, or because its transactions timed out."""


class GroupError(LookupError):
    """A consumer group that does not exist, or a reset of its offsets that is not possible."""


class GroupActiveError(GroupError):
    """A consumer group with members, whose offsets cannot be changed while they run."""


class KafkaSettingsError(ValueError):
    """A client setting that is unknown or has an invalid value; the message suggests similar names."""
