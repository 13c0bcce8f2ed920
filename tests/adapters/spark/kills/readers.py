"""Clients that read the counts of words over HTTP, and compare each answer with a model of the input.

The flow is word-count over one topic with one partition. Every line has the word `every`, whose count therefore is the number of
lines that an answer includes.
"""

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import httpx

from eddyline.application.ports.event_sink import EventSink, SinkRecord

TOPIC: Final = "text-lines"
STORE: Final = "word-count-store"
_WORDS: Final = [f"w{number}" for number in range(40)]
_TIMEOUT_S: Final = 5.0
_RETRY_S: Final = 0.05
PAUSE_S: Final = 0.01
"""How long a client waits at most after an answer, unless a test says otherwise."""


class Input:
    """The lines that were written so far, with the counts of all words after each of them."""

    def __init__(self, sink: EventSink, writer: str, seed: int) -> None:
        self._sink, self._writer, self._random = sink, writer, random.Random(seed)
        self._counts: list[Counter[str]] = [Counter()]
        self._batches = 0
        sink.create_topic(TOPIC, 1)

    @property
    def lines(self) -> int:
        """The number of lines, counted before they are visible."""
        return len(self._counts) - 1

    def write(self, count: int) -> None:
        """Write lines of random words."""
        lines = [["every", *self._random.choices(_WORDS, k=3)] for _ in range(count)]
        for words in lines:
            self._counts.append(self._counts[-1] + Counter(words))
        records = [SinkRecord(TOPIC, None, " ".join(words).encode(), 1_000 + number) for number, words in enumerate(lines)]
        self._sink.write(self._writer, 0, self._batches, records)
        self._batches += 1

    def count(self, word: str, lines: int) -> int:
        """Return the count of a word after this many lines."""
        return self._counts[lines][word]

    def counts(self) -> dict[str, int]:
        """Return the counts after all lines."""
        return dict(self._counts[-1])


class Readers:
    """Clients that ask servers in turn until they are stopped, each for what it has seen before or later.

    Args:
        urls: The servers.
        given: The model of the input.
        clients: The number of clients.
        seed: Of their choices.
        pause_s: How long each client waits at most after an answer.

    Attributes:
        wrong: What is wrong with answers, a line for each.
        answers: The number of answers.
        refused: The number of requests without an answer: to servers that were down, or for offsets that were not there yet.
    """

    def __init__(self, urls: Sequence[str], given: Input, clients: int, seed: int, pause_s: float = PAUSE_S) -> None:
        self.urls, self._given, self._clients, self._seed, self._pause_s = list(urls), given, clients, seed, pause_s
        self.wrong: list[str] = []
        self.answers = 0
        self.refused = 0
        self.most_seen = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="readers")

    def start(self) -> None:
        """Start the clients in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the clients after their requests."""
        self._stopping.set()
        self._thread.join()

    def wait_for_answers(self, count: int, timeout_s: float) -> None:
        """Wait until there are this many answers more."""
        wanted, deadline = self.answers + count, time.monotonic() + timeout_s
        while self.answers < wanted and not self.wrong:
            assert time.monotonic() < deadline, f"{self.answers} of {wanted} answers"
            time.sleep(0.02)

    def wait_until_seen(self, lines: int, timeout_s: float) -> None:
        """Wait until an answer includes this many lines."""
        deadline = time.monotonic() + timeout_s
        while self.most_seen < lines and not self.wrong:
            assert time.monotonic() < deadline, f"{self.most_seen} of {lines} lines"
            time.sleep(0.02)

    async def _run(self) -> None:
        limits = httpx.Limits(max_connections=self._clients)
        async with httpx.AsyncClient(timeout=2 * _TIMEOUT_S, limits=limits, trust_env=False) as client:
            await asyncio.gather(*(self._read(client, random.Random(self._seed + number)) for number in range(self._clients)))

    async def _read(self, client: httpx.AsyncClient, chance: random.Random) -> None:
        seen, values = 0, Counter[str]()
        while not self._stopping.is_set() and not self.wrong:
            word = chance.choice(["every", *_WORDS])
            parameters: dict[str, Any] = {"timeout": _TIMEOUT_S}
            if seen:
                parameters["min_offset"] = f"{TOPIC}:0:{seen - 1}"
            try:
                answer = await client.get(f"{chance.choice(self.urls)}/stores/{STORE}/keys/{word}", params=parameters)
            except httpx.TransportError:
                self.refused += 1
                await asyncio.sleep(_RETRY_S)
                continue
            most = self._given.lines
            if answer.status_code == 412 or (answer.status_code == 404 and "unknown-store" in answer.text):
                self.refused += 1
            elif answer.status_code in {200, 404}:
                self.answers += 1
                content = answer.json()
                included = next(iter(content["freshness"]["offsets"].get(TOPIC, ())), 0)
                value = content["rows"][0]["value"] if answer.status_code == 200 else 0
                self.check(word, value, (included, most), (seen, values[word]))
                seen, values[word] = included, value
                self.most_seen = max(self.most_seen, included)
            else:
                self.wrong.append(f"status {answer.status_code}: {answer.text}")
            await asyncio.sleep(chance.random() * self._pause_s)

    def check(self, word: str, value: int, included: tuple[int, int], seen: tuple[int, int]) -> None:
        """Check an answer: `included` are the lines that it includes at least and at most, `seen` lines and value before it."""
        least, most = (self._given.count(word, lines) for lines in included)
        if not least <= value <= most:
            self.wrong.append(f"'{word}': {value}, but {least} to {most} after {included[0]} to {included[1]} lines")
        if included[0] < seen[0] or value < seen[1]:
            self.wrong.append(f"'{word}': {value} after {included[0]} lines, but the client has seen {seen[1]} after {seen[0]}")
