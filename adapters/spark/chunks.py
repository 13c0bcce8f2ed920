"""How a task's entries lie in state: a log of chunks, each holding what one batch changed.

A worker keeps a copy of all entries in memory and writes one chunk a batch. A copy that is behind reads the chunks it misses;
a copy whose last chunk is not the stored one (the batch that wrote it failed, or it belongs to another run) is built anew.
So that old chunks can go, every batch also writes again some of the entries that have not been written for longest. That
bounds the log at about twice the live entries and makes the price of a batch follow what the batch touches, never the
size of the state.
"""

import os
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple, Protocol, TypeAlias

Entry: TypeAlias = tuple[bytes, bytes | None]
"""A key and its value; None where the entry is deleted."""

_FORMAT = 1
_HEAD = struct.Struct("<BQI")
_LENGTHS = struct.Struct("<Ii")
_TOKEN_BYTES = 8
_CHANGED, _CARRIED = b"c", b"m"


class StateFormatError(RuntimeError):
    """The state was written in a format that this version does not know."""


class Cells(Protocol):
    """What keeps a task's state: one header and numbered chunks."""

    def header(self) -> bytes | None:
        """The header, None before the first one was set."""

    def set_header(self, data: bytes) -> None:
        """Replaces the header."""

    def chunk(self, number: int) -> bytes:
        """The chunk of this number."""

    def put_chunk(self, number: int, data: bytes) -> None:
        """Adds a chunk."""

    def remove_chunk(self, number: int) -> None:
        """Removes a chunk."""


class CatchUp(NamedTuple):
    """What a copy had to learn: `anew` when it holds nothing but these changes, else they come on top of what it held."""

    changes: list[Entry]
    anew: bool


class ChunkedState:
    """A worker's copy of one task's entries, and the log of chunks that they stand in. Keys must not begin with ff ff.

    Old entries are written again, as many as the batch touches but at least `least_carried`, while there are `many_chunks` or
    the log holds more than twice the live entries. A chunk is cut at `page_bytes`.

    `_entries` is ordered by when an entry was last written; before the entries of each commit stands a mark, a key that
    carries the number of the commit's first chunk and None for a value.
    """

    def __init__(self, *, least_carried: int = 1_000, many_chunks: int = 64, page_bytes: int = 4 << 20) -> None:
        self._least_carried, self._many_chunks, self._page_bytes = least_carried, many_chunks, page_bytes
        self._entries: dict[bytes, bytes | None] = {}
        self._sizes: dict[bytes, int] = {}
        self._first = 0
        self._tokens: list[bytes] = []

    def __len__(self) -> int:
        return len(self._entries) - len(self._sizes)

    def get(self, key: bytes) -> bytes | None:
        """The value of a live entry."""
        return self._entries.get(key)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """All live entries, those written longest ago first."""
        return ((key, value) for key, value in self._entries.items() if value is not None)

    def catch_up(self, cells: Cells) -> CatchUp:
        """Brings the copy to the stored state, reading as little as possible."""
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
        return CatchUp(changes, anew=False) if known else CatchUp(list(self.items()), anew=True)

    def commit(self, cells: Cells, changes: Iterable[Entry]) -> None:
        """Writes what a batch changed; the last change of a key counts. Nothing is written when nothing changed."""
        changed = dict(changes)
        if not changed:
            return
        number = self._first + len(self._tokens)
        self._apply(number, changed.items())
        first, carried = self._carry(number, len(changed))
        most = self._page_bytes
        pages = [*_pages(_CHANGED, changed.items(), most), *_pages(_CARRIED, carried, most)]
        for page_number, page in enumerate(pages, number):
            cells.put_chunk(page_number, page)
        for old in range(self._first, first):
            cells.remove_chunk(old)
        del self._tokens[: first - self._first]
        self._first = first
        self._tokens += [os.urandom(_TOKEN_BYTES)] * len(pages)
        cells.set_header(_HEAD.pack(_FORMAT, self._first, len(self._tokens)) + b"".join(self._tokens))

    def _apply(self, number: int, entries: Iterable[Entry]) -> None:
        held = self._entries
        mark = _mark(number)
        held[mark] = None
        written = 0
        for key, value in entries:
            held.pop(key, None)
            if value is not None:
                held[key] = value
            written += 1
        self._sizes[mark] = written

    def _carry(self, number: int, touched: int) -> tuple[int, list[Entry]]:
        """Moves old entries into the commit that begins at `number`; returns the first chunk still needed and the entries."""
        written = sum(self._sizes.values())
        if written <= 2 * len(self) + self._least_carried and len(self._tokens) < self._many_chunks:
            return self._first, []
        budget = max(touched, self._least_carried)
        own, first = _mark(number), self._first
        carried: list[Entry] = []
        marks: list[bytes] = []
        for key, value in islice(self._entries.items(), budget + len(self._sizes)):
            if value is None:
                marks.append(key)
                first = max(first, _number(key))
                if key == own:
                    break
            elif len(carried) == budget:
                break
            else:
                carried.append((key, value))
        for mark in marks[:-1]:
            del self._entries[mark], self._sizes[mark]
        for key, value in carried:
            del self._entries[key]
            self._entries[key] = value
        self._sizes[own] += len(carried)
        return first, carried


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
