"""Calls of the client that must return, and the disposal of clients that failed.

The client's transactional calls can block for ever when a coordinator leaves the cluster and comes back, whatever timeout
they are given (librdkafka issue 5511); only a new client gets through.
"""

import threading
from collections.abc import Callable
from typing import Any

from eddyline.adapters.kafka.errors import BrokerUnavailableError

_GRACE_S = 2.0
_DISPOSAL_DELAY_S = 1.0


def call_with_timeout(action: str, call: Callable[[float], None], timeout_s: float) -> None:
    """Make a call in its own thread, and abandon it if it does not return soon after its timeout.

    Args:
        action: What the call does; completes "could not …".
        call: The call, which is passed the timeout in seconds; its client must not be used again once it was abandoned.
        timeout_s: The timeout in seconds.

    Raises:
        BrokerUnavailableError: the call did not return in time.
        Exception: whatever the call raises.
    """
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call(timeout_s)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread of the caller
            raised.append(error)

    thread = threading.Thread(target=run, name=f"kafka: {action}", daemon=True)
    thread.start()
    thread.join(timeout_s + _GRACE_S)
    if thread.is_alive():
        raise BrokerUnavailableError(
            f"could not {action}: the client did not return within {timeout_s + _GRACE_S:.0f} s; "
            "check that the brokers are running and reachable"
        )
    if raised:
        raise raised[0]


def dispose_in_background(client: Any) -> None:
    """Destroy a failed client in the background, since its threads may take a while to end.

    The delay gives the caller time to drop its own references; the last one to go destroys the client.
    """
    timer = threading.Timer(_DISPOSAL_DELAY_S, lambda clients: clients.clear(), args=([client],))
    timer.name, timer.daemon = "kafka: disposal of a client", True
    timer.start()
