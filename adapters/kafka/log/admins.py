"""Keeps admin clients open between requests."""

from collections.abc import Callable
from typing import Final, TypeVar

from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.clients.deadline import Deadline, until_available
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings

T = TypeVar("T")

_MIN_ATTEMPT_S: Final = 1.0
_MAX_ATTEMPT_S: Final = 5.0


def _forget(_admin: AdminClient) -> None:
    """Do nothing: admin clients have no `close`, and are closed when nothing refers to them."""


_ADMINS: ClientPool[AdminClient] = ClientPool(limit=4, close=_forget)


def answer_of(settings: KafkaSettings, ask: Callable[[AdminClient, float], T], deadline: Deadline) -> T:
    """Return the answer to a client, which `ask` gets with its timeout in seconds: five, or what is left until the deadline.

    A client whose brokers do not answer is not used again: it goes on waiting for a controller that has died, however long the
    others have had another one.

    Raises:
        BrokerUnavailableError: the brokers did not answer.
    """
    with _ADMINS.client((settings,), lambda: new_admin(settings), discard_on=BrokerUnavailableError) as admin:
        return ask(admin, deadline.remaining_s(at_least=_MIN_ATTEMPT_S, at_most=_MAX_ATTEMPT_S))


def repeated_answer_of(settings: KafkaSettings, ask: Callable[[AdminClient, float], T]) -> T:
    """Return the same as `answer_of`, but ask again with a new client until the request timeout has passed."""
    deadline = Deadline(settings.request_timeout_s)
    return until_available(deadline, lambda: answer_of(settings, ask, deadline))


def close_admins(settings: KafkaSettings) -> None:
    """Forget the clients that were kept open for these settings."""
    _ADMINS.close_all(lambda key: isinstance(key, tuple) and key[0] == settings)
