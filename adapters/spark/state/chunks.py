"""How the entries of a task are stored: as a log of chunks, each with what one batch changed.

A worker keeps a copy of all entries in memory and writes one chunk per batch. A copy that is behind reads the chunks that it
misses. A copy whose last chunk is not the stored one is rebuilt: the batch that wrote it failed, or it belongs to another run.
So that old chunks can be removed, every batch also rewrites some of the entries that were not written for the longest time.
That bounds the log at about twice the live entries, and the cost of a batch depends on what the batch touches, never on the
size of the state.
"""

import os
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple, Protocol, TypeAlias

Entry: TypeAlias = tuple[bytes, bytes | None]
"""A key and its value; None stands for a deleted entry."""

_FORMAT = 1
_HEAD = struct.Struct("<BQI")
_LENGTHS = struct.Struct("<Ii")
_TOKEN_BYTES = 8
_CHANGED, _REWRITTEN = b"c", b"m"


class StateFormatError(RuntimeError):
    """The state was written in a format that this version cannot read."""


class Cells(Protocol):
    """The storage of a task's state: one header and numbered chunks."""

    def header(self) -> bytes | None:
        """Return the header, None before the first one was set."""

    def set_header(self, data: bytes) -> None:
        """Replace the header."""

    def chunk(self, number: int) -> bytes:
        """Return the chunk of this number."""

    def put_chunk(self, number: int, data: bytes) -> None:
        """Add a chunk."""

    def remove_chunk(self, number: int) -> None:
        """Remove a chunk."""


class CatchUp(NamedTuple):
    """The changes that a copy missed; `rebuilt` when the copy was emptied before and holds nothing else."""

    changes: list[Entry]
    rebuilt: bool


class ChunkedState:
    """A worker's copy of one task's entries, and the log of chunks that stores them. Keys must not begin with ff ff.

    Args:
        least_rewritten: the least number of old entries that a commit rewrites when it rewrites any; it rewrites as many as the
            batch has touched, while there are `many_chunks` or the log holds more than twice the live entries.
        many_chunks: the number of chunks from which on old entries are rewritten.
        page_bytes: the size at which a chunk is split.

    `_entries` is ordered by the time of the last write. The entries of each commit follow a mark: a key with the number of the
    commit's first chunk, and None as its value.
    """

    def __init__(self, *, least_rewritten: int = 1_000, many_chunks: int = 64, page_bytes: int = 4 << 20) -> None:
        self._least_rewritten, self._many_chunks, self._page_bytes = least_rewritten, many_chunks, page_bytes
        self._entries: dict[bytes, bytes | None] = {}
        self._sizes: dict[bytes, int] = {}
        self._first = 0
        self._tokens: list[bytes] = []

    def __len__(self) -> int:
        return len(self._entries) - len(self._sizes)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a live entry."""
        return self._entries.get(key)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Return all live entries, those written longest ago first."""
        return ((key, value) for key, value in self._entries.items() if value is not None)

    def catch_up(self, cells: Cells) -> CatchUp:
        """Bring the copy up to the stored state, reading as little as possible."""
        header = cells.header()
        first, tokens = _unpack_header(header) if header is not None else (0, [])
        mine = self._first + len(self._tokens) - 1
        known = first <= mine < first + len(tokens) and tokens[mine - first] == self._tokens[-1] if self._tokens else not tokens
        if not known:
            self._entries.clear()
            self._sizes.clear()
            mine = first - 1
        changes: list[Entry] = []
        for number in range(mine + 1, first + len(tokens)):
            page = cells.chunk(number)
            entries = list(_unpack(page))
            self._apply(number, entries)
            if known and page[:1] == _CHANGED:
                changes += entries
        self._first, self._tokens = first, tokens
        return CatchUp(changes, rebuilt=False) if known else CatchUp(list(self.items()), rebuilt=True)

    def commit(self, cells: Cells, changes: Iterable[Entry]) -> None:
        """Write what a batch changed; the last change of a key counts. Write nothing when nothing changed."""
        changed = dict(changes)
        if not changed:
            return
        number = self._first + len(self._tokens)
        self._apply(number, changed.items())
        first, rewritten = self._rewrite(number, len(changed))
        most = self._page_bytes
        pages = [*_pages(_CHANGED, changed.items(), most), *_pages(_REWRITTEN, rewritten, most)]
        for page_number, page in enumerate(pages, number):
            cells.put_chunk(page_number, page)
        for old in range(self._first, first):
            cells.remove_chunk(old)
        del self._tokens[: first - self._first]
        self._first = first
        self._tokens += [os.urandom(_TOKEN_BYTES)] * len(pages)
        cells.set_header(_HEAD.pack(_FORMAT, self._first, len(self._tokens)) + b"".join(self._tokens))

    def _apply(self, number: int, entries: Iterable[Entry]) -> None:
        kept = self._entries
        mark = _mark(number)
        kept[mark] = None
        written = 0
        for key, value in entries:
            kept.pop(key, None)
            if value is not None:
                kept[key] = value
            written += 1
        self._sizes[mark] = written

    def _rewrite(self, number: int, touched: int) -> tuple[int, list[Entry]]:
        """Rewrite old entries in the commit that begins at `number`; return the first chunk still needed and the entries."""
        written = sum(self._sizes.values())
        if written <= 2 * len(self) + self._least_rewritten and len(self._tokens) < self._many_chunks:
            return self._first, []
        budget = max(touched, self._least_rewritten)
        own, first = _mark(number), self._first
        rewritten: list[Entry] = []
        marks: list[bytes] = []
        for key, value in islice(self._entries.items(), budget + len(self._sizes)):
            if value is None:
                marks.append(key)
                first = max(first, _number(key))
                if key == own:
                    break
            elif len(rewritten) == budget:
                break
            else:
                rewritten.append((key, value))
        for mark in marks[:-1]:
            del self._entries[mark], self._sizes[mark]
        for key, value in rewritten:
            del self._entries[key]
            self._entries[key] = value
        self._sizes[own] += len(rewritten)
        return first, rewritten


def _mark(number: int) -> bytes:
    return b"\xff\xff\xff\xff" + number.to_bytes(8, "big")


def _number(mark: bytes) -> int:
    return int.from_bytes(mark[4:], "big")


def _unpack_header(data: bytes) -> tuple[int, list[bytes]]:
    version, first, count = _HEAD.unpack_from(data)
    if version != _FORMAT:
        raise StateFormatError(f"state has format {version}, this version reads {_FORMAT}: run the version that wrote it")
    tokens = data[_HEAD.size :]
    return first, [tokens[at : at + _TOKEN_BYTES] for at in range(0, count * _TOKEN_BYTES, _TOKEN_BYTES)]


def _pages(kind: bytes, entries: Iterable[Entry], most_bytes: int) -> Iterator[bytes]:
    pack = _LENGTHS.pack
    parts, size = [kind], 1
    for key, value in entries:
        if value is None:
            parts += (pack(len(key), -1), key)
            size += 8 + len(key)
        else:
            parts += (pack(len(key), len(value)), key, value)
            size += 8 + len(key) + len(value)
        if size >= most_bytes:
            yield b"".join(parts)
            parts, size = [kind], 1
    if size > 1:
        yield b"".join(parts)


def _unpack(page: bytes) -> Iterator[Entry]:
    unpack = _LENGTHS.unpack_from
    at, end = 1, len(page)
    while at < end:
        key_length, value_length = unpack(page, at)
        start = at + 8
        at = start + key_length
        key = page[start:at]
        if value_length < 0:
            yield key, None
        else:
            yield key, page[at : at + value_length]
            at += value_length
