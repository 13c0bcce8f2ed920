"""Reads records from lines of text, JSON or program logs."""

import io
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.records.codecs import EncodeText
from eddyline.adapters.cli.records.lines import from_json_line
from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import SinkRecord

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_NO_TIME = -1
_LONGEST_LINE = 256_000_000
"""In characters; what has no line breaks, such as a device, ends with an error instead of filling the memory."""


@dataclass(frozen=True)
class RecordTemplate:
    """What records get if their lines do not have it; `timestamp` is in ms since the epoch, None is the time of reading."""

    topic: str
    key: str | None
    headers: Headers
    timestamp: int | None
    partition: int | None
    encode_key: EncodeText
    encode_value: EncodeText


class RecordReader:
    """Makes a record of each line.

    Raises:
        UsageError: a codec is unknown or cannot write, or the key of the template is not a value of its codec.
    """

    def __init__(
        self, container: "Container", template: RecordTemplate, form: Literal["text", "json", "log"], key_separator: str | None
    ) -> None:
        self._container = container
        self._template = template
        self._form = form
        self._key_separator = key_separator
        self._default_key = None if template.key is None else self._template.encode_key(template.key)

    def records(self, lines: Iterable[str]) -> Iterator[SinkRecord]:
        """Return the records of lines.

        Raises:
            UsageError: a line is malformed, or a key or a value cannot be encoded.
        """
        if self._form == "log":
            found = self._from_log(lines)
        elif self._form == "json":
            found = (
                from_json_line(line, self._template.topic, self._template.encode_key, self._template.encode_value)
                for line in lines
            )
        else:
            found = (self._from_text(line) for line in lines)
        return (self._completed(record) for record in found)

    def _completed(self, record: SinkRecord) -> SinkRecord:
        template = self._template
        return record._replace(
            key=self._default_key if record.key is None else record.key,
            headers=(*template.headers, *record.headers),
            timestamp=record.timestamp if record.timestamp >= 0 else self._now(),
            partition=template.partition if record.partition is None else record.partition,
        )

    def _from_text(self, line: str) -> SinkRecord:
        if self._key_separator is None:
            return SinkRecord(self._template.topic, None, self._template.encode_value(line), _NO_TIME)
        key, separator, value = line.partition(self._key_separator)
        if not separator:
            raise UsageError(f"line '{line[:60]}' has no key: the separator '{self._key_separator}' is missing (--key-separator)")
        return SinkRecord(self._template.topic, self._template.encode_key(key), self._template.encode_value(value), _NO_TIME)

    def _from_log(self, lines: Iterable[str]) -> Iterator[SinkRecord]:
        for event, timestamp in self._container.log_events(lines, service=self._template.key):
            value = self._template.encode_value(json.dumps(event, ensure_ascii=False))
            yield SinkRecord(self._template.topic, None, value, _NO_TIME if timestamp is None else timestamp)

    def _now(self) -> int:
        return int(time.time() * 1000) if self._template.timestamp is None else self._template.timestamp


def parse_headers(assignments: Sequence[str]) -> Headers:
    """Return the headers given as `NAME=VALUE`; a name may occur more than once.

    Raises:
        UsageError: a header has no name or no `=`.
    """
    pairs = [(assignment, *assignment.partition("=")) for assignment in assignments]
    for assignment, name, equals, _ in pairs:
        if not (name and equals):
            raise UsageError(f"invalid --header '{assignment}'; write it as NAME=VALUE")
    return tuple((name, value.encode()) for _, name, _, value in pairs)


def read_lines(path: Path | None, *, any_bytes: bool = False) -> Iterator[str]:
    """Return the lines of a file, or of standard input for None, as they arrive and without line breaks.

    Args:
        path: The file.
        any_bytes: Whether to replace bytes that are not UTF-8 by backslash escapes instead of raising UnicodeDecodeError.

    Raises:
        UsageError: a line has more than 256 million characters.
    """
    errors = "backslashreplace" if any_bytes else "strict"
    if path is None:
        if any_bytes and isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors=errors)
        yield from _lines(sys.stdin)
        return
    with path.open(encoding="utf-8", newline="\n", errors=errors) as lines:
        yield from _lines(lines)


def _lines(lines: TextIO) -> Iterator[str]:
    while line := lines.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE and not line.endswith("\n"):
            raise UsageError("a line has more than 256 million characters; give one record on each line")
        yield line.rstrip("\r\n")
