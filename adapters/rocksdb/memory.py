"""The memory that the stores of a process share, whatever their number: RocksDB's block cache and write buffers, and entries.

A quarter is for blocks and write buffers of RocksDB, and the rest for entries as Python objects, which need no decoding.
"""

from functools import cache
from typing import Any, Final
from weakref import WeakSet

from rocksdict import Cache, WriteBufferManager

_SHARE_OF_ROCKSDB: Final = 4
_LEAST_FOR_ROCKSDB: Final = 4 << 20
_OBJECT_BYTES: Final = 400
_BYTES_AN_ENCODED_BYTE: Final = 4
"""A dataclass of a few fields in a tuple with its timestamp takes about this much, with its place in a dictionary."""


class CachedEntries:
    """The decoded entries of a store that need not be read again: those of the current and of the previous generation.

    Entries that are read or written are added to the current generation. When this has half of the memory, it becomes the
    previous one of all stores, and what was in the previous one is dropped: entries that were not written for a while.
    """

    def __init__(self, memory: "StoreMemory") -> None:
        self._memory = memory
        self.current: dict[Any, Any] = {}
        self.previous: dict[Any, Any] = {}
        memory.caches.add(self)

    def added(self, entries: int, encoded_bytes: int) -> None:
        """Count entries that were added to the current generation, and the size of their encoded keys and values."""
        self._memory.added(_OBJECT_BYTES * entries + _BYTES_AN_ENCODED_BYTE * encoded_bytes)

    def remove(self, key: Any) -> None:
        """Remove an entry."""
        self.current.pop(key, None)
        self.previous.pop(key, None)

    def clear(self) -> None:
        """Remove all entries."""
        self.current, self.previous = {}, {}


class StoreMemory:
    """What the stores of this process share; together it takes about `max_bytes`."""

    def __init__(self, max_bytes: int) -> None:
        rocksdb = max(max_bytes // _SHARE_OF_ROCKSDB, _LEAST_FOR_ROCKSDB)
        self.blocks = Cache(rocksdb)
        self.write_buffers = WriteBufferManager.new_write_buffer_manager_with_cache(rocksdb // 2, False, self.blocks)  # noqa: FBT003 - no keyword
        self.caches: WeakSet[CachedEntries] = WeakSet()
        self._generation_bytes = max(max_bytes - rocksdb, 0) // 2
        self._used = 0

    def added(self, size: int) -> None:
        """Count bytes of the current generation, and begin another one if they are too many."""
        self._used += size
        if self._used > self._generation_bytes:
            self._used = 0
            for entries in self.caches:
                entries.previous = entries.current
                entries.current = {}


@cache
def shared_memory(max_bytes: int) -> StoreMemory:
    """Return the memory of this size that the stores of this process share."""
    return StoreMemory(max_bytes)
