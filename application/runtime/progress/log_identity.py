"""Positions belong to one log: they mean nothing in another one, or in a topic that was deleted and created again."""

from eddyline.application.ports.event_log import LogIdentity


class LogMismatchError(RuntimeError):
    """The log is not the one that the positions of an application belong to; the message says what differs and what to do."""


def check_log(stored: LogIdentity, found: LogIdentity, application_id: str) -> None:
    """Make sure that two identities are those of one log. Ids that a log does not know, and topics of one side only, agree.

    Args:
        stored: The identity that was stored with the positions.
        found: The present identity of the log.
        application_id: The application, for the message.

    Raises:
        LogMismatchError: the log is another one, or a topic was created again.
    """
    recreated = [topic for topic, topic_id in found.topics.items() if _differ(stored.topics.get(topic, ""), topic_id)]
    if stored.kind != found.kind or _differ(stored.cluster, found.cluster):
        difference = f"{_label(stored)}, but the event log is now {_label(found)}"
        way_back = "go back to that event log"
    elif recreated:
        ids = "; ".join(f"topic '{topic}' with id '{stored.topics[topic]}', now '{found.topics[topic]}'" for topic in recreated)
        difference = f"topics that have been deleted and created again, or emptied, since then ({ids})"
        way_back = "restore the topics"
    else:
        return
    raise LogMismatchError(
        f"the positions of application '{application_id}' belong to {difference}; to continue from them would skip or repeat"
        f" records: {way_back}, or run 'eddyline reset' for the flow to start from the beginning, or choose another"
        " application.id, version or state.dir"
    )


def with_topics_of(stored: LogIdentity, found: LogIdentity) -> LogIdentity:
    """Return the stored identity, completed by the ids that only the identity found has."""
    known = {topic: topic_id for topic, topic_id in stored.topics.items() if topic_id}
    return LogIdentity(stored.kind, stored.cluster or found.cluster, {**found.topics, **known})


def _differ(stored: str, found: str) -> bool:
    return bool(stored and found and stored != found)


def _label(identity: LogIdentity) -> str:
    return f"'{identity.kind}', cluster '{identity.cluster}'" if identity.cluster else f"'{identity.kind}'"
