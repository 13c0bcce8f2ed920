"""The log of chunks of a task whose entries are in stores on the local disk, so that they need not fit into memory.

Where `ChunkedState` has a copy of all entries, this has an index on the local disk: the number of the chunk with the present
value of each entry. To compact the log, it reads the oldest chunk again and rewrites the entries that the index finds there.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from eddyline.adapters.spark.state.chunks import (
    CHANGED,
    REWRITTEN,
    TOKEN_BYTES,
    ChunkStore,
    Entry,
    pack_chunks,
    pack_header,
    unpack_entries,
    unpack_header,
)
from eddyline.adapters.spark.state.entries import NAMES, POSITIONS, PREFIX_BYTES, WAITING
from eddyline.application.ports.state_stores import TaskStateStores

_INDEX: Final = b"i"
_HELD: Final = b"h"
_SLICE: Final = 10_000
_NUMBER_BYTES: Final = 8


class StreamedCatchUp(NamedTuple):
    """The changes that the stores were missing, in portions; if the stores were `rebuilt`, they were emptied before."""

    portions: Iterator[Sequence[Entry]]
    rebuilt: bool


class _Chunk(NamedTuple):
    """What is known of a stored chunk: the token of its commit, its size, and how many entries are in it, live or not."""

    token: str
    size_bytes: int
    entries: int


class IndexedChunkedState:
    """The log of chunks of one task, and the index of its live entries.

    Args:
        stores: The stores of the task; the index is beside them, and is saved with them.
        stored: The names of the stores whose entries `stores` keeps. All other entries are kept beside the index.
        min_rewritten: As for `ChunkedState`.
        compact_at: The number of chunks, besides those that are full, at which commits begin to compact the log.
        max_chunk_bytes: As for `ChunkedState`.
    """

    def __init__(
        self,
        stores: TaskStateStores,
        stored: Collection[str],
        *,
        min_rewritten: int = 1_000,
        compact_at: int = 64,
        max_chunk_bytes: int = 4 << 20,
    ) -> None:
        self._stores, self._stored = stores, stored
        self._min_rewritten, self._compact_at, self._max_chunk_bytes = min_rewritten, compact_at, max_chunk_bytes
        self._first, self._live, self._chunks = 0, 0, list[_Chunk]()
        self._names: dict[bytes, str] = {}
        self._oldest: Iterator[Entry] | None = None
        saved = stores.version
        self._is_opened = saved is not None
        self._is_unknown = saved is None
        if saved is not None:
            self._first, self._live, chunks = json.loads(saved)
            self._chunks = [_Chunk(*chunk) for chunk in chunks]

    def __len__(self) -> int:
        return self._live

    @property
    def size_bytes(self) -> int:
        """The bytes of the chunks, which also have what is not of stores, such as stream time."""
        return sum(chunk.size_bytes for chunk in self._chunks)

    @property
    def is_new(self) -> bool:
        """Whether nothing has been committed yet, as far as is known."""
        return not self._chunks

    # --- reading ----------------------------------------------------------------------------------------------------------

    def catch_up(self, store: ChunkStore) -> StreamedCatchUp:
        """Update the index to the stored state; the task has to be restored from all portions before its next batch."""
        header = store.header()
        first, tokens = unpack_header(header) if header is not None else (0, [])
        mine, end = self._first + len(self._chunks) - 1, first + len(tokens)
        known = first <= mine < end and tokens[mine - first].hex() == self._chunks[-1].token if self._chunks else not tokens
        opened, self._is_opened = self._is_opened, False
        if self._is_unknown or not known:
            self._is_unknown = False
            self._forget()
            self._first = first
            return StreamedCatchUp(self._rebuilt(store, tokens), rebuilt=True)
        if first != self._first:
            self._drop(first)
        missing = range(mine + 1, end)
        return StreamedCatchUp(self._missed(store, missing, tokens[mine + 1 - first :], opened=opened), rebuilt=False)

    def _forget(self) -> None:
        self._stores.clear()
        self._names.clear()
        self._live, self._chunks, self._oldest = 0, [], None

    def _drop(self, first: int) -> None:
        """Forget the chunks before `first`, which are not stored any more."""
        del self._chunks[: first - self._first]
        self._first, self._oldest = first, None

    def _missed(self, store: ChunkStore, missing: range, tokens: list[bytes], *, opened: bool) -> Iterator[Sequence[Entry]]:
        if opened:
            held = [(key[1:], value) for key, value in self._stores.scan_entries(_HELD)]
            self._note_names(held)
            yield held
        for number, token in zip(missing, tokens, strict=True):
            chunk = store.chunk(number)
            entries = list(unpack_entries(chunk))
            self._chunks.append(_Chunk(token.hex(), len(chunk), len(entries)))
            self._note_names(entries)
            self._index(number, entries)
            if chunk[:1] == CHANGED:
                yield entries

    def _rebuilt(self, store: ChunkStore, tokens: list[bytes]) -> Iterator[Sequence[Entry]]:
        """Index all chunks, then yield what is live in each of them; the names of stores come first."""
        names: dict[bytes, bytes | None] = {}
        for number, token in enumerate(tokens, self._first):
            chunk = store.chunk(number)
            entries = list(unpack_entries(chunk))
            self._chunks.append(_Chunk(token.hex(), len(chunk), len(entries)))
            names.update((key, value) for key, value in entries if key[:PREFIX_BYTES] == NAMES)
            self._stores.put_entries(
                (_INDEX + key, None if value is None else number.to_bytes(_NUMBER_BYTES, "big")) for key, value in entries
            )
        self._note_names(names.items())
        yield list(names.items())
        for number in range(self._first, self._first + len(tokens)):
            live = self._live_in(number, list(unpack_entries(store.chunk(number))))
            self._live += len(live)
            self._hold(live)
            yield live

    # --- writing ----------------------------------------------------------------------------------------------------------

    def commit(self, store: ChunkStore, changes: Iterable[Entry]) -> int:
        """Write the changes of a batch, the last one of each key; write nothing if there are none. Return the bytes then."""
        changed = dict(changes)
        number = self._first + len(self._chunks)
        if changed:
            self._note_names(changed.items())
            token = os.urandom(TOKEN_BYTES).hex()
            self._write(store, CHANGED, list(changed.items()), token)
            first = self._first
            rewritten = self._rewrite(store, number, len(changed))
            self._write(store, REWRITTEN, rewritten, token)
            for old in range(first, self._first):
                store.remove_chunk(old)
            store.set_header(pack_header(self._first, [bytes.fromhex(chunk.token) for chunk in self._chunks]))
        if self._stores.version is None:
            self._stores.save(json.dumps((self._first, self._live, self._chunks)).encode())
        return self.size_bytes

    def _write(self, store: ChunkStore, kind: bytes, entries: Sequence[Entry], token: str) -> None:
        """Add chunks with these entries, and index them."""
        remaining = iter(entries)
        for chunk, count in pack_chunks(kind, entries, self._max_chunk_bytes):
            number = self._first + len(self._chunks)
            store.put_chunk(number, chunk)
            self._chunks.append(_Chunk(token, len(chunk), count))
            self._index(number, list(islice(remaining, count)))

    def _rewrite(self, store: ChunkStore, number: int, changed: int) -> list[Entry]:
        """Return live entries of the oldest chunks before `number`, and forget the chunks that have no others."""
        written = sum(chunk.entries for chunk in self._chunks)
        small = len(self._chunks) - sum(chunk.size_bytes for chunk in self._chunks) // self._max_chunk_bytes
        if written <= 2 * self._live + self._min_rewritten and small < self._compact_at:
            return []
        budget = max(changed, self._min_rewritten)
        rewritten: list[Entry] = []
        while self._first < number and len(rewritten) < budget:
            if self._oldest is None:
                self._oldest = unpack_entries(store.chunk(self._first))
            entries = list(islice(self._oldest, min(_SLICE, budget - len(rewritten))))
            if entries:
                rewritten += self._live_in(self._first, entries)
            else:
                self._drop(self._first + 1)
        return rewritten

    # --- the index --------------------------------------------------------------------------------------------------------

    def _index(self, number: int, entries: Sequence[Entry]) -> None:
        """Note that the present values of entries are in a chunk."""
        found = self._stores.get_entries([_INDEX + key for key, _ in entries])
        at = number.to_bytes(_NUMBER_BYTES, "big")
        for (_, value), before in zip(entries, found, strict=True):
            self._live += (value is not None) - (before is not None)
        self._stores.put_entries((_INDEX + key, None if value is None else at) for key, value in entries)
        self._hold(entries)

    def _live_in(self, number: int, entries: Sequence[Entry]) -> list[Entry]:
        """Return those of the entries in a chunk whose present value is in it."""
        found = self._stores.get_entries([_INDEX + key for key, _ in entries])
        at = number.to_bytes(_NUMBER_BYTES, "big")
        return [entry for entry, place in zip(entries, found, strict=True) if place == at]

    def _note_names(self, entries: Iterable[Entry]) -> None:
        for key, value in entries:
            if key[:PREFIX_BYTES] == NAMES and value is not None:
                self._names[value] = key[PREFIX_BYTES:].decode()

    def _hold(self, entries: Sequence[Entry]) -> None:
        """Keep the values of the entries that the stores do not have."""
        own = (NAMES, POSITIONS, WAITING)
        held = [
            (_HELD + key, value)
            for key, value in entries
            if (prefix := key[:PREFIX_BYTES]) in own or self._names.get(prefix) not in self._stored
        ]
        if held:
            self._stores.put_entries(held)
