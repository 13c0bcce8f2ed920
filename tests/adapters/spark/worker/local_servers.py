"""Server processes replaced by calls in the process of the test."""

from collections.abc import Iterator, Mapping

from eddyline.adapters.spark.worker import run_server
from eddyline.adapters.spark.worker.run_server import Handler
from eddyline.adapters.spark.worker.servers import Ask, ServerUnavailableError


class LocalServers:
    """Handles requests at once and counts the questions of the handlers; there are no servers if `available` is false."""

    def __init__(self, handlers: Mapping[str, Handler], *, available: bool = True) -> None:
        self._handlers, self._available = handlers, available
        self.questions = 0

    def request(self, _number: int, payload: bytes, reply: Ask) -> Iterator[bytes]:
        if not self._available:
            raise ServerUnavailableError("none")

        def counted(question: bytes) -> bytes:
            self.questions += 1
            return reply(question)

        yield from run_server.handle(self._handlers, payload, counted)
