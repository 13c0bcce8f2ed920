"""Stores the entries of a task as a log of chunks, each with the changes of one batch.

A worker keeps a copy of all entries in memory and writes one chunk per batch. A copy that is behind reads only the chunks that
it is missing. A copy whose last chunk is not the stored one is rebuilt, since the batch that wrote this chunk has failed or
belongs to another run.

The log is compacted step by step: batches also rewrite some of the least recently written entries, so that old chunks can be
removed. The log stays at about twice the size of the live entries, and the cost of a batch depends on the number of entries
that it changes, not on the size of the state.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

Entry: TypeAlias = tuple[bytes, bytes | None]
"""A key and its value; None means that the entry is deleted."""

_FORMAT = 1
_HEAD = struct.Struct("<BQI")
_LENGTHS = struct.Struct("<Ii")
TOKEN_BYTES = 8
CHANGED, REWRITTEN = b"c", b"m"
"""The first byte of a chunk: it holds changes of a batch, or unchanged entries that were rewritten."""


class StateFormatError(RuntimeError):
    """The state has a format that this version cannot read."""


class ChunkStore(Protocol):
    """Where the state of a task is stored: a header and numbered chunks."""

    def header(self) -> bytes | None:
        """Return the header, None if there is none yet."""

    def set_header(self, data: bytes) -> None:
        """Replace the header."""

    def chunk(self, number: int) -> bytes:
        """Return the chunk with this number."""

    def put_chunk(self, number: int, data: bytes) -> None:
        """Add a chunk."""

    def remove_chunk(self, number: int) -> None:
        """Remove a chunk."""


class CatchUp(NamedTuple):
    """The changes that a copy was missing; if it was `rebuilt`, these are all live entries."""

    changes: list[Entry]
    rebuilt: bool

    @property
    def portions(self) -> Iterator[Sequence[Entry]]:
        """The changes, to restore a task from."""
        return iter((self.changes,))


class ChunkedState:
    """A worker's copy of the entries of one task, and the log of chunks that stores them.

    Keys must not begin with the bytes ff ff.

    Args:
        min_rewritten: the least number of old entries that a compacting commit rewrites; if it changes more entries than that,
            it rewrites as many.
        compact_at: the number of chunks at which commits begin to compact the log. They also compact it while it has more than
            twice as many entries as are live.
        max_chunk_bytes: the size at which a chunk is split.

    `_entries` is ordered by the time of the last write. The entries of each commit follow a marker: a key with the number of
    the first chunk of the commit, and None as the value. `_sizes` has the number of entries written after each marker.
    """

    def __init__(self, *, min_rewritten: int = 1_000, compact_at: int = 64, max_chunk_bytes: int = 4 << 20) -> None:
        self._min_rewritten, self._compact_at, self._max_chunk_bytes = min_rewritten, compact_at, max_chunk_bytes
        self._entries: dict[bytes, bytes | None] = {}
        self._sizes: dict[bytes, int] = {}
        self._first = 0
        self._tokens: list[bytes] = []
        self._chunk_bytes: list[int] = []

    def __len__(self) -> int:
        return len(self._entries) - len(self._sizes)

    @property
    def size_bytes(self) -> int:
        """The bytes of the chunks, which also have what is not of stores, such as stream time."""
        return sum(self._chunk_bytes)

    @property
    def is_new(self) -> bool:
        """Whether nothing has been committed yet, as far as the copy knows."""
        return not self._tokens

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a live entry, None if there is none."""
        return self._entries.get(key)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Return all live entries, the least recently written first."""
        return ((key, value) for key, value in self._entries.items() if value is not None)

    def catch_up(self, store: ChunkStore) -> CatchUp:
        """Update the copy to the stored state, reading no more chunks than necessary."""
        header = store.header()
        first, tokens = unpack_header(header) if header is not None else (0, [])
        mine = self._first + len(self._tokens) - 1
        known = first <= mine < first + len(tokens) and tokens[mine - first] == self._tokens[-1] if self._tokens else not tokens
        if not known:
            self._entries.clear()
            self._sizes.clear()
            self._chunk_bytes.clear()
            mine = first - 1
        else:
            del self._chunk_bytes[: first - self._first]
        changes: list[Entry] = []
        for number in range(mine + 1, first + len(tokens)):
            chunk = store.chunk(number)
            entries = list(unpack_entries(chunk))
            self._chunk_bytes.append(len(chunk))
            self._apply(number, entries)
            if known and chunk[:1] == CHANGED:
                changes += entries
        self._first, self._tokens = first, tokens
        return CatchUp(changes, rebuilt=False) if known else CatchUp(list(self.items()), rebuilt=True)

    def commit(self, store: ChunkStore, changes: Iterable[Entry]) -> int:
        """Write the changes of a batch, the last one of each key; write nothing if there are none. Return the bytes then."""
        changed = dict(changes)
        if not changed:
            return self.size_bytes
        number = self._first + len(self._tokens)
        self._apply(number, changed.items())
        first, rewritten = self._rewrite(number, len(changed))
        limit = self._max_chunk_bytes
        packed = (pack_chunks(CHANGED, changed.items(), limit), pack_chunks(REWRITTEN, rewritten, limit))
        chunks = [chunk for kind in packed for chunk, _ in kind]
        for chunk_number, chunk in enumerate(chunks, number):
            store.put_chunk(chunk_number, chunk)
        for old in range(self._first, first):
            store.remove_chunk(old)
        del self._tokens[: first - self._first], self._chunk_bytes[: first - self._first]
        self._first = first
        self._tokens += [os.urandom(TOKEN_BYTES)] * len(chunks)
        self._chunk_bytes += map(len, chunks)
        store.set_header(pack_header(self._first, self._tokens))
        return self.size_bytes

    def _apply(self, number: int, entries: Iterable[Entry]) -> None:
        current = self._entries
        marker = _marker(number)
        current[marker] = None
        written = 0
        for key, value in entries:
            current.pop(key, None)
            if value is not None:
                current[key] = value
            written += 1
        self._sizes[marker] = written

    def _rewrite(self, number: int, changed: int) -> tuple[int, list[Entry]]:
        """Move old entries into the commit that begins at chunk `number`; return the first chunk still needed and the entries."""
        written = sum(self._sizes.values())
        if written <= 2 * len(self) + self._min_rewritten and len(self._tokens) < self._compact_at:
            return self._first, []
        budget = max(changed, self._min_rewritten)
        own, first = _marker(number), self._first
        rewritten: list[Entry] = []
        markers: list[bytes] = []
        for key, value in self._entries.items():
            if value is None:
                markers.append(key)
                first = max(first, _number(key))
                if key == own:
                    break
            elif len(rewritten) == budget:
                break
            else:
                rewritten.append((key, value))
        for marker in markers[:-1]:
            del self._entries[marker], self._sizes[marker]
        for key, value in rewritten:
            del self._entries[key]
            self._entries[key] = value
        self._sizes[own] += len(rewritten)
        return first, rewritten


def pack_entries(entries: Iterable[Entry]) -> bytes:
    """Return entries as one chunk."""
    return b"".join(chunk for chunk, _ in pack_chunks(CHANGED, entries, 1 << 62)) or CHANGED


def _marker(number: int) -> bytes:
    return b"\xff\xff\xff\xff" + number.to_bytes(8, "big")


def _number(marker: bytes) -> int:
    return int.from_bytes(marker[4:], "big")


def pack_header(first: int, tokens: Sequence[bytes]) -> bytes:
    """Return the header of a log of chunks, from the number of the first one and the token of each."""
    return _HEAD.pack(_FORMAT, first, len(tokens)) + b"".join(tokens)


def unpack_header(data: bytes) -> tuple[int, list[bytes]]:
    """Return the number of the first chunk and the token of each. Raises StateFormatError."""
    version, first, count = _HEAD.unpack_from(data)
    if version != _FORMAT:
        raise StateFormatError(
            f"state has format {version}, but this version of eddyline reads format {_FORMAT}; run the version that wrote it"
        )
    tokens = data[_HEAD.size :]
    return first, [tokens[at : at + TOKEN_BYTES] for at in range(0, count * TOKEN_BYTES, TOKEN_BYTES)]


def pack_chunks(kind: bytes, entries: Iterable[Entry], max_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Yield entries as chunks of about this size, each with the number of its entries."""
    pack = _LENGTHS.pack
    parts, size, count = [kind], 1, 0
    for key, value in entries:
        if value is None:
            parts += (pack(len(key), -1), key)
            size += 8 + len(key)
        else:
            parts += (pack(len(key), len(value)), key, value)
            size += 8 + len(key) + len(value)
        count += 1
        if size >= max_bytes:
            yield b"".join(parts), count
            parts, size, count = [kind], 1, 0
    if count:
        yield b"".join(parts), count


def unpack_entries(chunk: bytes) -> Iterator[Entry]:
    """Yield the entries of a chunk."""
    unpack = _LENGTHS.unpack_from
    at, end = 1, len(chunk)
    while at < end:
        key_length, value_length = unpack(chunk, at)
        start = at + 8
        at = start + key_length
        key = chunk[start:at]
        if value_length < 0:
            yield key, None
        else:
            yield key, chunk[at : at + value_length]
            at += value_length
