"""An open-loop client: requests leave at fixed times whether earlier ones are answered or not, and latency counts from then.

A client that waits for an answer before it sends the next request would not see how long the others would have waited.
"""

import asyncio
import json
import random
import time
from collections import deque
from typing import Final, NamedTuple
from urllib.parse import urlsplit

_STATUS_OK: Final = b"HTTP/1.1 200"
_NOT_FOUND: Final = b"HTTP/1.1 404"


class Outcome(NamedTuple):
    """An answer: when its request was to be sent (monotonic seconds), the latency in seconds, and whether it has the state.

    Attributes:
        at: When the request was due, in seconds of the monotonic clock.
        latency_s: The time from then until the answer was complete.
        ok: Whether the answer was a row, or that there is none.
        batch_time_ms: The wall-clock time of the batch that the answer includes, None if it has none.
    """

    at: float
    latency_s: float
    ok: bool
    batch_time_ms: int | None


class PointReads:
    """Reads random keys of a store over connections that stay open.

    Args:
        url: The URL of the server.
        path: The path of the rows, to which a key is appended.
        keys: The keys.
        rate: How many requests per second.
        connections: How many connections; a request waits for a free one.
    """

    def __init__(self, url: str, path: str, keys: list[str], *, rate: int, connections: int) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 80
        head = f"Host: {parts.netloc}\r\nConnection: keep-alive\r\n\r\n"
        self._requests = [f"GET {path}{key} HTTP/1.1\r\n{head}".encode() for key in keys]
        self._rate, self._connections = rate, connections
        self._chance = random.Random(1)
        self._due: deque[float] = deque()
        self._ready = asyncio.Semaphore(0)
        self.outcomes: list[Outcome] = []

    async def run(self, seconds: float) -> list[Outcome]:
        """Send requests for this long, and return the outcomes."""
        workers = [asyncio.create_task(self._work()) for _ in range(self._connections)]
        begin = time.monotonic()
        for number in range(int(self._rate * seconds)):
            due = begin + number / self._rate
            delay = due - time.monotonic()
            if delay > 0:
                await asyncio.sleep(delay)
            self._due.append(due)
            self._ready.release()
        for _ in workers:
            self._ready.release()
        await asyncio.gather(*workers)
        return self.outcomes

    async def _work(self) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        while True:
            await self._ready.acquire()
            if not self._due:
                break
            due = self._due.popleft()
            writer.write(self._chance.choice(self._requests))
            head = await reader.readuntil(b"\r\n\r\n")
            lower = head.lower()
            start = lower.index(b"content-length:") + len(b"content-length:")
            body = await reader.readexactly(int(head[start : head.index(b"\r\n", start)]))
            latency = time.monotonic() - due
            ok = head.startswith((_STATUS_OK, _NOT_FOUND))
            self.outcomes.append(Outcome(due, latency, ok, _batch_time(body)))
        writer.close()


def _batch_time(body: bytes) -> int | None:
    try:
        found: int | None = json.loads(body)["freshness"]["batchTime"]
    except (ValueError, KeyError):
        return None
    return found
