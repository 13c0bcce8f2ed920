"""Error codes of Kafka, by their names in librdkafka: which ones are transient, and how to fix some others."""

TRANSIENT = frozenset(
    {
        "_ALL_BROKERS_DOWN",
        "_DESTROY_BROKER",
        "_MSG_TIMED_OUT",
        "_RESOLVE",
        "_TIMED_OUT",
        "_TRANSPORT",
        "_WAIT_COORD",
        "COORDINATOR_LOAD_IN_PROGRESS",
        "COORDINATOR_NOT_AVAILABLE",
        "FENCED_LEADER_EPOCH",
        "KAFKA_STORAGE_ERROR",
        "LEADER_NOT_AVAILABLE",
        "NETWORK_EXCEPTION",
        "NOT_COORDINATOR",
        "NOT_ENOUGH_REPLICAS",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "NOT_LEADER_FOR_PARTITION",
        "OFFSET_NOT_AVAILABLE",
        "REPLICA_NOT_AVAILABLE",
        "REQUEST_TIMED_OUT",
        "UNKNOWN_LEADER_EPOCH",
    }
)
"""Errors of an outage or of a change of leaders; the same request may succeed later."""

AUTHORIZATION = frozenset(
    {
        "CLUSTER_AUTHORIZATION_FAILED",
        "GROUP_AUTHORIZATION_FAILED",
        "TOPIC_AUTHORIZATION_FAILED",
        "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
    }
)
"""Permissions that the client's principal lacks."""

_REPLICAS = "check that all replicas of the partition are running, or lower the topic's min.insync.replicas"
_FIXES = {
    "CLUSTER_AUTHORIZATION_FAILED": "grant the client's principal an ACL for the cluster",
    "GROUP_AUTHORIZATION_FAILED": "grant the client's principal an ACL for the consumer group",
    "TOPIC_AUTHORIZATION_FAILED": "grant the client's principal an ACL for the topic",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": "grant the client's principal an ACL for the transactional id",
    "INVALID_TRANSACTION_TIMEOUT": "lower transaction.timeout.ms, or raise transaction.max.timeout.ms of the brokers",
    "MSG_SIZE_TOO_LARGE": "raise max.message.bytes of the topic (and message.max.bytes of the producer for records over 60 MB)",
    "NOT_ENOUGH_REPLICAS": _REPLICAS,
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND": _REPLICAS,
    "_MSG_TIMED_OUT": "check that the brokers are running and reachable, or raise delivery.timeout.ms",
}


def fix_for(name: str) -> str:
    """Return what to do about the error, to be appended to a message; empty for errors that explain themselves."""
    return f"; {_FIXES[name]}" if name in _FIXES else ""
