"""State in memory that can fall back to what it was, as Spark's does when a batch fails."""


class Cells:
    """The header and the chunks of one task; counts the bytes that are written and read."""

    def __init__(self) -> None:
        self.head: bytes | None = None
        self.chunks: dict[int, bytes] = {}
        self.written = self.read = 0

    def header(self) -> bytes | None:
        return self.head

    def set_header(self, data: bytes) -> None:
        self.head = data

    def chunk(self, number: int) -> bytes:
        self.read += len(self.chunks[number])
        return self.chunks[number]

    def put_chunk(self, number: int, data: bytes) -> None:
        self.written += len(data)
        self.chunks[number] = data

    def remove_chunk(self, number: int) -> None:
        del self.chunks[number]

    def copy(self) -> "Cells":
        other = Cells()
        other.head, other.chunks = self.head, dict(self.chunks)
        return other
