"""A check that a broker can be connected to, before clients wait for brokers that are not there."""

import queue
import re
import socket
import threading
from typing import Final

from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings

_ADDRESS: Final = re.compile(r"(?:\w+://)?(?:\[(?P<ipv6>[^\]]+)\]|(?P<host>[^:]*))(?::(?P<port>\d+))?")
_DEFAULT_PORT: Final = "9092"


def check_reachable(settings: KafkaSettings, timeout_s: float = 5.0) -> None:
    """Make sure that one of `bootstrap.servers` accepts connections; clients would try again for half a minute.

    Raises:
        BrokerUnavailableError: none accepts a connection within `timeout_s`.
    """
    addresses = [address.strip() for address in settings.bootstrap_servers.split(",") if address.strip()]
    answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    for address in addresses:
        threading.Thread(target=lambda address=address: answers.put(_refusal(address, timeout_s)), daemon=True).start()
    reason = ""
    for _ in addresses:
        refusal = answers.get()
        if refusal is None:
            return
        reason = reason or refusal
    raise BrokerUnavailableError(
        f"could not connect to Kafka at '{settings.bootstrap_servers}' (setting bootstrap.servers): {reason}; "
        "check the addresses, and that the brokers are running"
    )


def _refusal(address: str, timeout_s: float) -> str | None:
    """Return why a connection to `HOST:PORT` cannot be opened, None if it can."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return f"'{address}' is not HOST:PORT"
    try:
        socket.create_connection((match["ipv6"] or match["host"], int(match["port"] or _DEFAULT_PORT)), timeout_s).close()
    except TimeoutError:
        return f"no answer within {timeout_s:g} s"
    except (OSError, OverflowError, UnicodeError) as error:
        return (getattr(error, "strerror", None) or str(error)).lower()
    return None
