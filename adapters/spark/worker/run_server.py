"""Requests that belong to a run: the server process has a cache of the run, as a worker has."""

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES, RunCache
from eddyline.adapters.spark.worker.servers import SERVERS, Ask
from eddyline.adapters.spark.worker_logs import current_batch, processing

Handler: TypeAlias = Callable[[RunCache, Any, Callable[[Any], Any]], Iterator[Any]]
"""Yields the answers to a request, given the cache of the run, what the request says, and a function that asks the worker."""

_PLAN: Final = "plan"
"""Asks for the broadcast of the run and the search path of its modules."""


class _Request(NamedTuple):
    """`content` is for the handler of this name; `batch` is the number of the batch."""

    handler: str
    owner: str
    run: str
    content: Any
    batch: int | None


def request(
    broadcast: Broadcast, handler: str, number: int, content: Any, reply: Callable[[Any], Any] | None = None
) -> Iterator[Any]:
    """Let a server process handle a request; yield its answers.

    Args:
        broadcast: The run.
        handler: The name of the handler.
        number: Chooses the server; requests with the same number are handled by the same server.
        content: What the handler gets.
        reply: Replies to what the handler asks.

    Raises:
        ServerUnavailableError: There are no server processes.
        ServerEndedError: The server has ended before it answered.
        WorkerError: The request has failed.
    """

    def replied(question: bytes) -> bytes:
        asked = pickle.loads(question)  # noqa: S301 - the socket is in a folder of this user
        return pickle.dumps((broadcast, sys.path) if asked == _PLAN or reply is None else reply(asked))

    payload = pickle.dumps(_Request(handler, broadcast.owner, broadcast.run, content, current_batch()))
    yield from map(pickle.loads, SERVERS.request(number, payload, replied))


def handle(handlers: Mapping[str, Handler], payload: bytes, ask: Ask) -> Iterator[bytes]:
    """Handle a request in a server process, with the handler that it names."""
    name, owner, run, content, batch = _Request(*pickle.loads(payload))  # noqa: S301 - likewise

    def asked(question: Any) -> Any:
        return pickle.loads(ask(pickle.dumps(question)))  # noqa: S301 - likewise

    broadcast = CACHES.known(owner, run)
    if broadcast is None:
        broadcast, path = asked(_PLAN)
        sys.path.extend(entry for entry in path if entry not in sys.path)
    with processing(batch):
        yield from map(pickle.dumps, handlers[name](CACHES.of(broadcast), content, asked))
