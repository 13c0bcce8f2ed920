"""What can go wrong with Kafka; no message holds a secret.

BrokerError
├── AccessRefusedError        the brokers turn the client away: its password, its certificate or theirs
├── BrokerUnavailableError    no answer in time; trying again later may help
├── DeliveryError             records were refused; names topic, partition and reason
└── FencedError               another writer took the slot over again and again
GroupError                    a group that is not there, or whose offsets cannot be moved (a LookupError)
└── GroupActiveError          its members must be stopped first
KafkaSettingsError            a setting that the client does not know, or refuses (a ValueError)
"""


class BrokerError(RuntimeError):
    """Kafka refused or failed."""


class AccessRefusedError(BrokerError):
    """The brokers turn the client away, or it them: a wrong password, an unknown certificate; the message names the settings."""


class BrokerUnavailableError(BrokerError):
    """No answer in time; trying again later may help."""


class DeliveryError(BrokerError):
    """Records could not be written; the message names topic, partition and reason."""


class FencedError(BrokerError):
    """Another writer with the same id and slot is at work."""


class GroupError(LookupError):
    """The group, or what is asked of it, does not exist."""


class GroupActiveError(GroupError):
    """The group has members; its offsets are theirs."""


class KafkaSettingsError(ValueError):
    """A setting that the client does not know, or whose value it refuses; the message names the nearest choices."""
