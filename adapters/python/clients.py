"""What producers and consumers share: their settings, codecs and errors."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

from eddyline.adapters.cli.requests import load_settings
from eddyline.adapters.container import Container
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers, UnknownTopicError

_EPOCH: Final = datetime.fromtimestamp(0, UTC)


class DeliveryError(RuntimeError):
    """A record that was not written; the message has the topic and the reason."""


class CommitError(RuntimeError):
    """Offsets that could not be committed, since the partitions of the group are being assigned; poll, and commit again."""


class WakeupError(RuntimeError):
    """`wakeup` was called, so that a call of `poll` ended."""


class RecordError(ValueError):
    """A record that cannot be decoded.

    Attributes:
        topic: Its topic.
        partition: Its partition.
        offset: Its offset; `consumer.seek(error.partition, error.offset + 1)` continues after it.
        key: The key as it was written.
        value: The value as it was written.
        headers: The headers.
        reason: Why it cannot be decoded.
    """

    def __init__(
        self, topic: str, partition: int, offset: int, *, key: bytes | None, value: bytes | None, headers: Headers, reason: str
    ) -> None:
        super().__init__(
            f"the record in topic '{topic}', partition {partition}, offset {offset} cannot be decoded: {reason}; check the types "
            "and codecs of the consumer, seek past the record, or pass on_error, a function that takes such records"
        )
        self.topic, self.partition, self.offset = topic, partition, offset
        self.key, self.value, self.headers, self.reason = key, value, headers, reason


class Codecs(NamedTuple):
    """The codecs of the keys and values of a topic."""

    key: Codec
    value: Codec


def container_of(config: Path | None, given: Mapping[str, Any], *, choices: Sequence[str] = (), state: bool = False) -> Container:
    """Return the container of a program.

    Args:
        config: The settings file.
        given: Settings by name, with underscores or dots. `log` may be a log in memory, which other clients share, and
            `settings` may have more settings by their dotted names.
        choices: Names that an error about an unknown setting offers, too.
        state: Whether all stores have changelogs, unless a setting chooses some.

    Raises:
        ValueError: A setting is unknown or invalid.
        OSError: The event log cannot be reached.
    """
    named = dict(given)
    log, more = named.get("log"), named.pop("settings", None) or {}
    if isinstance(log, MemoryEventLog):
        named["log"] = "memory"
    if "bootstrap_servers" in named or "bootstrap.servers" in {*named, *more}:
        named.setdefault("log", "kafka")
    settings = load_settings(more, config, choices=choices, **named)
    if state and settings.changelog_stores == "none":
        settings = settings.model_copy(update={"changelog_stores": "all"})
    container = Container(settings=settings)
    if isinstance(log, MemoryEventLog):
        container.memory_log.override(log)
    container.check_log()
    return container


def require_topics(container: Container, topics: tuple[str, ...]) -> None:
    """Make sure that topics exist, or create them if the setting `create.topics` says so.

    Raises:
        UnknownTopicError: A topic does not exist.
    """
    settings = container.settings()
    if settings.create_topics:
        for topic in topics:
            container.topic_tools().create_topic(topic, settings.num_partitions)
        return
    existing = container.log().topics()
    for topic in topics:
        if topic not in existing:
            known = ", ".join(existing[:8]) + (" …" if len(existing) > 8 else "") or "none"  # noqa: PLR2004 - as many as fit a line
            raise UnknownTopicError(
                f"topic '{topic}' is unknown in the event log ({settings.log}), which has: {known}; create it with "
                f"'eddyline topics create {topic}', or pass create_topics=True"
            )


def codecs_of(container: Container, topic: str, key: Any, value: Any) -> Codecs:
    """Return the codecs of the settings for a topic with keys and values of these types."""
    codecs = container.codecs()
    return Codecs(codecs.for_key(topic, key), codecs.for_value(topic, value))


def encoded(codec: Codec, value: Any, topic: str, part: str) -> bytes | None:
    """Return an encoded key or value.

    Raises:
        CodecError: The codec does not support it.
    """
    try:
        return codec.encode(value)
    except CodecError as error:
        raise CodecError(f"the {part} {value!r} cannot be written to topic '{topic}': {error}") from None


def milliseconds(time: datetime | int) -> int:
    """Return a time in ms since the epoch; a time without a zone is UTC."""
    if isinstance(time, int):
        return time
    return ((time if time.tzinfo is not None else time.replace(tzinfo=UTC)) - _EPOCH) // timedelta(milliseconds=1)
