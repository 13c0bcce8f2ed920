"""A RocksDB database with the rows of one task: what the modules here know of the library."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from rocksdict import BlockBasedOptions, DbClosedError, DBCompressionType, Options, Rdict, WriteBatch

from eddyline.adapters.rocksdb.memory import StoreMemory
from eddyline.application.queries.sort_keys import after_prefix

PREFIX_BYTES: Final = 2
"""The first bytes of a row are the number of its table."""

_VERSION: Final = b"\x00\x00version"
_NAME: Final = b"\x00\x01"
_COUNT: Final = b"\x00\x02"
_AFTER_LAST: Final = b"\xff\xff"
_FIRST_TABLE: Final = 16
_BLOCK_BYTES: Final = 16 << 10
_WRITE_BUFFER_BYTES: Final = 8 << 20
_FILTER_BITS: Final = 10
_OPEN_FILES: Final = 256
_LOG_BYTES: Final = 1 << 20

Change = tuple[bytes, bytes | None]
"""A row and its value; None deletes it."""


class Database:
    """The rows of a task in a folder, sorted by their bytes.

    What is written is in the operating system's hands at once, so it survives the end of the process; the last writes may be
    lost if the machine fails. A database that has changed since its version was saved is emptied when it is opened.
    """

    def __init__(self, folder: Path, memory: StoreMemory) -> None:
        self.memory = memory
        folder.parent.mkdir(0o700, parents=True, exist_ok=True)
        _remove_abandoned(folder)
        self._options = _options(memory)
        try:
            self._db = Rdict(str(folder), self._options)
        except Exception as error:
            if "lock" not in str(error).lower():
                raise
            folder = folder.with_name(f"{folder.name}.{os.getpid()}.{os.urandom(4).hex()}")
            self._db = Rdict(str(folder), self._options)
        self.folder = folder
        self.version: bytes | None = self._db.get(_VERSION)
        self._numbers: dict[str, bytes] = {}
        if self.version is None:
            self._empty()
        else:
            self._numbers = {row[PREFIX_BYTES:].decode(): number for row, number in self.scan_prefix(_NAME)}

    @classmethod
    def temporary(cls, root: Path, memory: StoreMemory) -> "Database":
        """Return an empty database in a new folder."""
        root.mkdir(0o700, parents=True, exist_ok=True)
        return cls(Path(tempfile.mkdtemp(prefix=f"temporary.{os.getpid()}.", dir=root)), memory)

    def prefix(self, table: str) -> bytes:
        """Return the bytes with which the rows of a table begin."""
        found = self._numbers.get(table)
        if found is None:
            found = self._numbers[table] = (_FIRST_TABLE + len(self._numbers)).to_bytes(PREFIX_BYTES, "big")
            self.write([(_NAME + table.encode(), found)])
        return found

    def get(self, row: bytes) -> bytes | None:
        """Return the value of a row."""
        value: bytes | None = self._db.get(row)
        return value

    def get_many(self, rows: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of rows."""
        values: Any = self._db.get(list(rows)) if rows else []
        return list(values)

    def write(self, changes: Iterable[Change]) -> None:
        """Write all changes or none."""
        written = list(changes)
        if self.version is not None and written:
            self.version = None
            written.append((_VERSION, None))
        self._write(written)

    def scan(self, first: bytes, end: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """Return the rows with `first <= row < end` as they are now, and their values."""
        # Not by the bounds of ReadOptions: rocksdict 0.3.29 frees them while the iterator still uses them.
        if reverse:
            found = self._items(self._db.items(backwards=True, from_key=end))
            return takewhile(lambda item: item[0] >= first, (item for item in found if item[0] < end))
        return takewhile(lambda item: item[0] < end, self._items(self._db.items(from_key=first)))

    def scan_prefix(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Return the rows that begin with a prefix as they are now, and their values."""
        return self.scan(prefix, after_prefix(prefix) or _AFTER_LAST)

    def count(self, table: str) -> int:
        """Return the number that was saved for a table, 0 if none was."""
        return int(self._db.get(_COUNT + table.encode()) or 0)

    def save(self, version: bytes, counts: Mapping[str, int]) -> None:
        """Save a version of all rows, with a number for each table."""
        self._write([*((_COUNT + table.encode(), str(count).encode()) for table, count in counts.items()), (_VERSION, version)])
        self.version = version

    def clear(self) -> None:
        """Remove all rows."""
        self._numbers.clear()
        self.version = None
        self._db.delete_range(b"", _AFTER_LAST)

    def close(self) -> None:
        """Close the files, and remove them if no process will find them again; do nothing if they are closed."""
        with suppress(DbClosedError):
            self._db.close()
        if "." in self.folder.name:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _empty(self) -> None:
        if next(iter(self._db.keys()), None) is not None:
            self._db.close()
            Rdict.destroy(str(self.folder), self._options)
            self._db = Rdict(str(self.folder), self._options)

    @staticmethod
    def _items(found: Any) -> Iterator[tuple[bytes, bytes]]:
        """Return what the library has found: bytes, since it stores no types in raw mode."""
        items: Iterator[tuple[bytes, bytes]] = found
        return items

    def _write(self, changes: Iterable[Change]) -> None:
        batch = WriteBatch(raw_mode=True)
        put, delete = batch.put, batch.delete
        for row, value in changes:
            if value is None:
                delete(row)
            else:
                put(row, value)
        self._db.write(batch)


def _options(memory: StoreMemory) -> Options:
    blocks = BlockBasedOptions()
    blocks.set_block_cache(memory.blocks)
    blocks.set_block_size(_BLOCK_BYTES)
    blocks.set_bloom_filter(_FILTER_BITS, block_based=False)
    blocks.set_cache_index_and_filter_blocks(v=True)
    options = Options(raw_mode=True)
    options.create_if_missing(create_if_missing=True)
    options.set_block_based_table_factory(blocks)
    options.set_write_buffer_manager(memory.write_buffers)
    options.set_write_buffer_size(_WRITE_BUFFER_BYTES)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_max_open_files(_OPEN_FILES)
    options.set_keep_log_file_num(1)
    options.set_max_log_file_size(_LOG_BYTES)
    options.set_stats_dump_period_sec(0)
    return options


def _remove_abandoned(folder: Path) -> None:
    """Remove the folders of processes that have ended, which found the folder locked by another process."""
    for found in folder.parent.glob("*.*"):
        process = found.name.split(".")[-2]
        if process.isdigit() and not _is_running(int(process)):
            shutil.rmtree(found, ignore_errors=True)


def _is_running(process: int) -> bool:
    with suppress(PermissionError):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True
