"""The event log that a command works on: its name in messages, its tools, and topics that are not in it."""

from typing import TYPE_CHECKING, Any

from eddyline.adapters.cli.errors import CommandError, UsageError
from eddyline.adapters.settings import Settings

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_MOST_TOPICS = 8


def log_name(settings: Settings, container: "Container") -> str:
    """Return the event log for messages, with the setting that chose it."""
    if settings.log == "kafka":
        return f"Kafka at '{container.kafka_settings().bootstrap_servers}' (setting log: kafka)"
    place = f"directory '{container.topics_dir()}'" if settings.log == "files" else "memory"
    return f"{place} (setting log: {settings.log})"


def require_topic(container: "Container", topic: str, fix: str = "") -> None:
    """Make sure that a topic exists in the event log.

    Args:
        container: The event log.
        topic: The topic.
        fix: What else to do about it, for the error message.

    Raises:
        CommandError: it does not exist.
        UsageError: the event log is in memory.
    """
    topic_tools(container)
    existing = container.log().topics()
    if topic not in existing:
        raise CommandError(
            f"topic '{topic}' is unknown in {missing_in(container, existing)}; {fix}choose the event log with --log"
        )


def missing_in(container: "Container", existing: Any) -> str:
    """Return the name of the event log and the topics that it has."""
    shown = ", ".join(existing[:_MOST_TOPICS]) + (" …" if len(existing) > _MOST_TOPICS else "") if existing else "none"
    return f"{log_name(container.settings(), container)}, which has: {shown}"


def topic_tools(container: "Container") -> Any:
    """Return what writes and reads single records in the event log.

    Raises:
        UsageError: the event log is in memory, which is empty at every start.
    """
    require_lasting_log(container)
    return container.topic_tools()


def require_lasting_log(container: "Container") -> None:
    """Raise UsageError if what a command writes would be lost at its end: if the event log is in memory."""
    if container.settings().log == "memory":
        raise UsageError("the event log in memory is empty at every start; choose --log files or --log kafka")
