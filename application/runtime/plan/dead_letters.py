"""Dead letters: records that could not be processed, with their position and the reason in the headers of Kafka Streams."""

import traceback
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from eddyline.application.operators.output import Dropped
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.topology.exception_handlers import ErrorContext

NO_OFFSET = -1
"""The offset in dead letters of records that came through a repartition topic, which have none."""

_PREFIX = "__streams.errors."
_SUFFIX = "-dead-letters"

REASON_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        f"{_PREFIX}exception": "The type of the error.",
        f"{_PREFIX}message": "The message of the error.",
        f"{_PREFIX}stacktrace": "The traceback of the error.",
        f"{_PREFIX}topic": "The topic that the record was read from, or that did not accept the result.",
        f"{_PREFIX}partition": "The partition in the topic.",
        f"{_PREFIX}offset": "The offset in the partition; -1 if there is none.",
        f"{_PREFIX}operator": "The operator that failed.",
        f"{_PREFIX}task": "The task in which it failed.",
        f"{_PREFIX}timestamp": "The event time of the record in ms since the epoch.",
    }
)
"""The headers that dead letters have in addition to those of the record, each with its meaning."""

_LONGEST_MESSAGE = 4_000
_LONGEST_STACKTRACE = 16_000


class DroppedRecordError(Exception):
    """An operator dropped the record; the message names the operator and the reason."""


class Reason(NamedTuple):
    """Why a record became a dead letter, and its position; fields that the headers lack are empty or None."""

    exception: str
    message: str
    stacktrace: str
    topic: str
    partition: int | None
    offset: int | None
    operator: str = ""


def dead_letter_topic(application_id: str) -> str:
    """Return the topic of an application's dead letters."""
    return f"{application_id}{_SUFFIX}"


def holds_dead_letters(topic: str) -> bool:
    """Return whether the name of a topic is that of a dead-letter topic."""
    return topic.endswith(_SUFFIX)


def drop_error(dropped: Dropped) -> DroppedRecordError:
    """Return the reason why a record was dropped, as an error."""
    return DroppedRecordError(f"operator '{dropped.node}' dropped the record: {dropped.reason}")


def first_drops(dropped: Iterable[Dropped]) -> Mapping[tuple[str, int, int], Dropped]:
    """Return the first drop of each record, by the record's topic, partition and offset."""
    found: dict[tuple[str, int, int], Dropped] = {}
    for drop in dropped:
        if drop.source is not None:
            found.setdefault(drop.source[:3], drop)
    return found


def dead_letter(
    record: LogRecord, error: Exception, application_id: str, wall_clock_ms: int, context: ErrorContext | None = None
) -> SinkRecord:
    """Return the dead letter of a record; its timestamp is that of the record, or else the wall-clock time."""
    headers = (*record.headers, *reason_headers(error, record.topic, record.partition, record.offset, context))
    timestamp = record.timestamp if record.timestamp >= 0 else wall_clock_ms
    return SinkRecord(dead_letter_topic(application_id), record.key, record.value, timestamp, headers)


def failure_letter(context: ErrorContext, error: Exception, application_id: str, wall_clock_ms: int) -> SinkRecord:
    """Return the dead letter of what failed without a record, such as a punctuation."""
    headers = reason_headers(error, None, None, None, context)
    return SinkRecord(dead_letter_topic(application_id), None, None, wall_clock_ms, headers)


def result_letter(record: SinkRecord, error: Exception, application_id: str, context: ErrorContext) -> SinkRecord:
    """Return the dead letter of a result that its topic does not accept; the headers name that topic, without an offset."""
    partition = NO_OFFSET if record.partition is None else record.partition
    headers = reason_headers(error, record.topic, partition, NO_OFFSET, context)
    topic = dead_letter_topic(application_id)
    return SinkRecord(topic, record.key, record.value, record.timestamp, (*record.headers, *headers))


def reason_headers(
    error: Exception, topic: str | None, partition: int | None, offset: int | None, context: ErrorContext | None = None
) -> Headers:
    """Return the headers with the error and the position of a record; long texts are shortened in the middle.

    The names are those of Kafka Streams (KIP-1034), which has none for the operator, the task and the event time.
    """
    reason = [
        ("exception", type(error).__name__),
        ("message", _shortened(str(error), _LONGEST_MESSAGE)),
        ("stacktrace", _shortened("".join(traceback.format_exception(error)), _LONGEST_STACKTRACE)),
    ]
    if topic is not None:
        reason += [("topic", topic), ("partition", str(partition)), ("offset", str(offset))]
    if context is not None:
        reason += [("operator", context.operator), ("task", context.task_id)]
        if context.timestamp is not None:
            reason.append(("timestamp", str(context.timestamp)))
    return tuple((_PREFIX + name, text.encode("utf-8", "backslashreplace")) for name, text in reason)


def reason_in(headers: Headers) -> Reason:
    """Return the reason in headers written by `reason_headers` or by Kafka Streams; the last header of a name counts."""
    found = {name.removeprefix(_PREFIX): value for name, value in headers if name.startswith(_PREFIX)}
    texts = {name: (value or b"").decode("utf-8", "replace") for name, value in found.items()}
    return Reason(
        texts.get("exception", ""),
        texts.get("message", ""),
        texts.get("stacktrace", ""),
        texts.get("topic", ""),
        _number(texts.get("partition", "")),
        _number(texts.get("offset", "")),
        texts.get("operator", ""),
    )


def original_headers(headers: Headers) -> Headers:
    """Return the headers that the record had before it became a dead letter."""
    return tuple(header for header in headers if not header[0].startswith(_PREFIX))


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters omitted …\n{text[-half:]}"


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None
