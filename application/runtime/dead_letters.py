"""What a dead letter carries beside the record: the place and the reason, under the names that Kafka Streams gives them."""

import traceback
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from eddyline.application.operators.output import Dropped
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord

NO_OFFSET = -1
"""The offset of a dead letter's record that came through a repartition inside an engine, where it has none."""

_PREFIX = "__streams.errors."
_SUFFIX = "-dead-letters"
_LONGEST_MESSAGE = 4_000
_LONGEST_STACKTRACE = 16_000


class LeftOutError(Exception):
    """A step left the record out; the message names the step and the reason."""


class Reason(NamedTuple):
    """Why a record became a dead letter, and where it lay; an empty text, or None, where the letter does not say."""

    exception: str
    message: str
    stacktrace: str
    topic: str
    partition: int | None
    offset: int | None


def dead_letter_topic(application_id: str) -> str:
    """Where an application puts the records that it cannot take."""
    return f"{application_id}{_SUFFIX}"


def holds_dead_letters(topic: str) -> bool:
    """Whether the topic's name is one that `dead_letter_topic` gives."""
    return topic.endswith(_SUFFIX)


def left_out(dropped: Dropped) -> LeftOutError:
    """Why a record was left out, as an error."""
    return LeftOutError(f"step '{dropped.node}' left the record out: {dropped.reason}")


def each_once(dropped: Iterable[Dropped]) -> Mapping[tuple[str, int, int], Dropped]:
    """Of what was left out, the first for each record, by the record's topic, partition and offset."""
    found: dict[tuple[str, int, int], Dropped] = {}
    for one in dropped:
        if one.source is not None:
            found.setdefault(one.source[:3], one)
    return found


def letter_of(record: LogRecord, error: Exception, application_id: str, wall_clock_ms: int) -> SinkRecord:
    """The dead letter of a record; one without a time of its own has the wall clock's."""
    headers = (*record.headers, *reason_headers(error, record.topic, record.partition, record.offset))
    timestamp = record.timestamp if record.timestamp >= 0 else wall_clock_ms
    return SinkRecord(dead_letter_topic(application_id), record.key, record.value, timestamp, headers)


def reason_headers(error: Exception, topic: str, partition: int, offset: int) -> Headers:
    """The headers of a dead letter: what went wrong, and where the record lies. Long texts are shortened in their middle."""
    reason = (
        ("exception", type(error).__name__),
        ("message", _shortened(str(error), _LONGEST_MESSAGE)),
        ("stacktrace", _shortened("".join(traceback.format_exception(error)), _LONGEST_STACKTRACE)),
        ("topic", topic),
        ("partition", str(partition)),
        ("offset", str(offset)),
    )
    return tuple((_PREFIX + name, text.encode("utf-8", "backslashreplace")) for name, text in reason)


def reason_in(headers: Headers) -> Reason:
    """What `reason_headers`, or Kafka Streams, wrote into the headers; the last one of a name counts."""
    found = {name.removeprefix(_PREFIX): value for name, value in headers if name.startswith(_PREFIX)}
    texts = {name: (value or b"").decode("utf-8", "replace") for name, value in found.items()}
    return Reason(
        texts.get("exception", ""),
        texts.get("message", ""),
        texts.get("stacktrace", ""),
        texts.get("topic", ""),
        _number(texts.get("partition", "")),
        _number(texts.get("offset", "")),
    )


def original_headers(headers: Headers) -> Headers:
    """The headers that the record had before it became a dead letter."""
    return tuple(header for header in headers if not header[0].startswith(_PREFIX))


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters are left out …\n{text[-half:]}"


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None
