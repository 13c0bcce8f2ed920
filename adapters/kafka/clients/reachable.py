"""A check that a Kafka broker answers, before clients wait for brokers that are not there."""

import queue
import re
import threading
from typing import Final

from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.probe import why_no_broker
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings

_ADDRESS: Final = re.compile(r"(?:\w+://)?(?:\[(?P<ipv6>[^\]]+)\]|(?P<host>[^:]*))(?::(?P<port>\d+))?")
_DEFAULT_PORT: Final = "9092"
_GRACE_S: Final = 0.5


def check_reachable(settings: KafkaSettings, timeout_s: float = 5.0) -> None:
    """Make sure that a Kafka broker answers at one of `bootstrap.servers`; clients would try again for half a minute.

    Raises:
        BrokerUnavailableError: none answers within `timeout_s`; the message has the reasons.
    """
    addresses = [address.strip() for address in settings.bootstrap_servers.split(",") if address.strip()]
    answers: queue.SimpleQueue[tuple[str, str | None]] = queue.SimpleQueue()

    def ask(address: str) -> None:
        answers.put((address, _reason(settings, address, timeout_s)))

    for address in addresses:
        threading.Thread(target=ask, args=(address,), daemon=True).start()
    reasons = dict.fromkeys(addresses, f"no answer within {timeout_s:g} s")  # looking up a name takes as long as it takes
    deadline = Deadline(timeout_s + _GRACE_S)
    for _ in addresses:
        try:
            address, reason = answers.get(timeout=deadline.remaining_s())
        except queue.Empty:
            break
        if reason is None:
            return
        reasons[address] = reason
    distinct = sorted(set(reasons.values()))
    found = distinct[0] if len(distinct) == 1 else ", ".join(f"{address}: {reasons[address]}" for address in addresses)
    raise BrokerUnavailableError(
        f"could not connect to Kafka at '{settings.bootstrap_servers}' (setting bootstrap.servers): {found}; "
        "check the addresses, and that the brokers are running"
    )


def _reason(settings: KafkaSettings, address: str, timeout_s: float) -> str | None:
    """Return why there is no broker at `HOST:PORT`, None if there is one."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return f"'{address}' is not HOST:PORT"
    host, port = match["ipv6"] or match["host"], int(match["port"] or _DEFAULT_PORT)
    return why_no_broker(host, port, timeout_s, security_protocol=settings.security_protocol)
