"""Calls of the client that must come back, and clients that may not go away at once.

The client's transactional calls can wait for ever for a coordinator that has left the cluster and come back, whatever timeout
they are given (librdkafka issue 5511); only a new client gets through.
"""

import threading
from collections.abc import Callable
from typing import Any

from eddyline.adapters.kafka.errors import BrokerUnavailableError

_GRACE_S = 2.0


def bounded(doing: str, call: Callable[[float], None], timeout_s: float) -> None:
    """Makes the call with its own timeout, and leaves it behind if it has not come back soon after.

    Raises what the call raises, or BrokerUnavailableError; what was called must not be used again then.
    """
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call(timeout_s)
        except BaseException as error:  # noqa: BLE001 - handed on to the thread that waits for this one
            raised.append(error)

    thread = threading.Thread(target=run, name=f"kafka: {doing}", daemon=True)
    thread.start()
    thread.join(timeout_s + _GRACE_S)
    if thread.is_alive():
        raise BrokerUnavailableError(f"could not {doing}: the client did not come back after {timeout_s + _GRACE_S:.0f} s")
    if raised:
        raise raised[0]


def bury(client: Any) -> None:
    """Lets go of a failed client where nobody waits for it: its threads may take their time to end."""
    threading.Thread(target=lambda last: last.clear(), args=([client],), name="kafka: burial", daemon=True).start()
