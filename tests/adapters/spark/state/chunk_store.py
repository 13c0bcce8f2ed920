"""Chunks and timers in memory, in place of those that Spark keeps for a task."""

from eddyline.adapters.spark.state.chunks import ChunkStore


class MemoryChunkStore:
    """The header and the chunks of one task; counts the bytes that are written and read."""

    def __init__(self) -> None:
        self.head: bytes | None = None
        self.chunks: dict[int, bytes] = {}
        self.bytes_written = self.bytes_read = 0

    def header(self) -> bytes | None:
        return self.head

    def set_header(self, data: bytes) -> None:
        self.head = data

    def chunk(self, number: int) -> bytes:
        self.bytes_read += len(self.chunks[number])
        return self.chunks[number]

    def put_chunk(self, number: int, data: bytes) -> None:
        self.bytes_written += len(data)
        self.chunks[number] = data

    def remove_chunk(self, number: int) -> None:
        del self.chunks[number]

    def copy(self) -> "MemoryChunkStore":
        """Return a copy, to which a failed batch can be rolled back."""
        copy = MemoryChunkStore()
        copy.head, copy.chunks = self.head, dict(self.chunks)
        return copy


class MemorySpark:
    """The state and the timers of one task."""

    def __init__(self, store: MemoryChunkStore | None = None) -> None:
        self.store: ChunkStore = MemoryChunkStore() if store is None else store
        self.timers: list[int | None] = []
        self.shared_files: dict[str, bytes] = {}

    def set_timer(self, due_ms: int | None) -> None:
        self.timers.append(due_ms)

    def shared_file(self, name: str) -> bytes:
        return self.shared_files.get(name, b"")
