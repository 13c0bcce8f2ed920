"""Keeps clients open between batches: a new one costs connections, threads and a first fetch."""

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class ClientPool(Generic[T]):
    """Idle clients of this process by key, at most one per key.

    A forked child starts with an empty pool, since the threads of the clients do not exist there.

    Args:
        limit: How many clients are kept; beyond it the one that has been idle longest is closed.
        close: Closes a client.
    """

    def __init__(self, limit: int, close: Callable[[T], None]) -> None:
        self._limit = limit
        self._close = close
        self._idle: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()
        self._inherited: list[Any] = []
        os.register_at_fork(after_in_child=self._start_empty)

    def take(self, key: Hashable) -> T | None:
        """Remove and return the idle client of the key, or None."""
        with self._lock:
            return self._idle.pop(key, None)

    def put(self, key: Hashable, client: T) -> None:
        """Keep the client for the next `take`, in place of another one with the same key."""
        with self._lock:
            surplus = [self._idle.pop(key)] if key in self._idle else []
            self._idle[key] = client
            if len(self._idle) > self._limit:
                surplus.append(self._idle.popitem(last=False)[1])
        for one in surplus:
            self._close(one)

    @contextmanager
    def client(self, key: Hashable, create: Callable[[], T], *, discard_on: type[BaseException] | tuple[()] = ()) -> Iterator[T]:
        """Take the client of the key, or create one, and put it back at the end of the block.

        If the block raises `discard_on`, the client is closed instead.
        """
        client = self.take(key)
        if client is None:
            client = create()
        release: Callable[[T], None] = partial(self.put, key)
        try:
            yield client
        except discard_on:
            release = self._close
            raise
        finally:
            release(client)

    def close_all(self, belongs: Callable[[Hashable], bool] = lambda _key: True) -> None:
        """Close the idle clients for whose keys `belongs` returns true."""
        with self._lock:
            chosen = [self._idle.pop(key) for key in list(self._idle) if belongs(key)]
        for one in chosen:
            self._close(one)

    def _start_empty(self) -> None:
        self._inherited.append(self._idle)  # destroying them in the child would wait for threads that do not exist
        self._idle = OrderedDict()
        self._lock = threading.Lock()
