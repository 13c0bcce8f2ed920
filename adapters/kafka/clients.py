"""Makes Kafka clients, and keeps them from one batch to the next: a new one costs connections, threads and a first fetch."""

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from eddyline.adapters.kafka.calm import NotSoonAgain
from eddyline.adapters.kafka.errors import AccessRefusedError, BrokerError, BrokerUnavailableError, KafkaSettingsError
from eddyline.adapters.kafka.refusals import last_refusal, note_refusal
from eddyline.adapters.kafka.settings import KafkaSettings

LOGGER = logging.getLogger("eddyline.kafka")
LOGGER.addFilter(NotSoonAgain())
_UNAVAILABLE = {
    "_ALL_BROKERS_DOWN",
    "_RESOLVE",
    "_TIMED_OUT",
    "_TRANSPORT",
    "COORDINATOR_LOAD_IN_PROGRESS",
    "COORDINATOR_NOT_AVAILABLE",
    "LEADER_NOT_AVAILABLE",
    "NOT_COORDINATOR",
    "NOT_LEADER_FOR_PARTITION",
    "OFFSET_NOT_AVAILABLE",
    "REQUEST_TIMED_OUT",
}
_DEFAULTS = {"log_level": 4, "allow.auto.create.topics": "false"}

T = TypeVar("T")


def new_consumer(
    settings: KafkaSettings, group: str, *, defaults: Mapping[str, Any] | None = None, fixed: Mapping[str, Any] | None = None
) -> Consumer:
    """A consumer that commits nothing by itself and sees committed records only, unless the settings want to see all.

    The settings win over `defaults`, `fixed` wins over them. Raises KafkaSettingsError for a value that the client refuses.
    """
    own = {"group.id": group, "enable.auto.commit": False, "enable.auto.offset.store": False}
    return _new(
        Consumer,
        settings,
        {"isolation.level": "read_committed", **(defaults or {}), **settings.consumer(), **(fixed or {}), **own},
    )


def new_producer(
    settings: KafkaSettings, *, defaults: Mapping[str, Any] | None = None, fixed: Mapping[str, Any] | None = None
) -> Producer:
    """A producer; `defaults` and `fixed` as for a consumer. Raises KafkaSettingsError."""
    return _new(Producer, settings, {**(defaults or {}), **settings.producer(), **(fixed or {})})


def new_admin(settings: KafkaSettings) -> AdminClient:
    """An admin client. Raises KafkaSettingsError."""
    return _new(AdminClient, settings, dict(settings.admin()))


@contextmanager
def broker_errors(settings: KafkaSettings, doing: str) -> Iterator[None]:
    """Turns the client's exceptions into ours, without secrets: `doing` says what could not be done."""
    try:
        yield
    except KafkaException as error:
        raise as_broker_error(settings, doing, error) from None


def as_broker_error(settings: KafkaSettings, doing: str, error: KafkaException) -> BrokerError:
    """Our error for one of the client's."""
    reason = error.args[0]
    text = settings.hide(f"could not {doing} at {settings.bootstrap_servers}: {reason.str()} ({reason.name()})")
    if reason.name() in _UNAVAILABLE:
        refusal = last_refusal(settings)
        if refusal is not None:
            return AccessRefusedError(f"could not {doing} at {settings.bootstrap_servers}: {refusal}")
        return BrokerUnavailableError(f"{text}; are the brokers up and reachable?")
    return BrokerError(text)


class Kept(Generic[T]):
    """Clients of this process that wait for their next use, at most `limit`; the one that waited longest is closed first.

    Nothing is shared with a forked child: the client's threads do not exist there.
    """

    def __init__(self, limit: int, close: Callable[[T], None]) -> None:
        self._limit = limit
        self._close = close
        self._waiting: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()
        self._lost: list[Any] = []
        os.register_at_fork(after_in_child=self._forget)

    def take(self, key: Hashable) -> T | None:
        """The client kept under the key, now the caller's alone, or None."""
        with self._lock:
            return self._waiting.pop(key, None)

    def keep(self, key: Hashable, client: T) -> None:
        """Keeps the client for the next `take`."""
        with self._lock:
            surplus = [self._waiting.pop(key)] if key in self._waiting else []
            self._waiting[key] = client
            if len(self._waiting) > self._limit:
                surplus.append(self._waiting.popitem(last=False)[1])
        for one in surplus:
            self._close(one)

    @contextmanager
    def borrowed(self, key: Hashable, make: Callable[[], T]) -> Iterator[T]:
        """The client kept under the key, or a new one; kept again afterwards."""
        client = self.take(key) or make()
        try:
            yield client
        finally:
            self.keep(key, client)

    def close_all(self, belongs: Callable[[Hashable], bool] = lambda _key: True) -> None:
        """Closes those whose key belongs to the caller."""
        with self._lock:
            chosen = [self._waiting.pop(key) for key in list(self._waiting) if belongs(key)]
        for one in chosen:
            self._close(one)

    def _forget(self) -> None:
        self._lost.append(self._waiting)
        self._waiting = OrderedDict()
        self._lock = threading.Lock()


class _Redacting(logging.LoggerAdapter[logging.Logger]):
    """Hands the client's own log lines on without the secrets of its settings."""

    def __init__(self, settings: KafkaSettings) -> None:
        super().__init__(LOGGER)
        self._settings = settings

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        return self._settings.hide(str(msg)), kwargs

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        text = str(msg) % args if args else str(msg)
        super().log(level, "%s", self._settings.hide(text), **kwargs)


def _new(kind: Callable[..., T], settings: KafkaSettings, values: dict[str, Any]) -> T:
    logger = _Redacting(settings)

    def tell(error: KafkaError) -> None:
        note_refusal(settings, error)
        logger.log(logging.WARNING, "%s (%s)", error.str(), error.name())

    try:
        return kind({**_DEFAULTS, **values, "error_cb": tell, "logger": logger})
    except KafkaException as error:
        raise KafkaSettingsError(settings.hide(f"the Kafka client refused its settings: {error.args[0].str()}")) from None
    except (TypeError, ValueError) as error:
        raise KafkaSettingsError(settings.hide(f"the Kafka client refused its settings: {error}")) from None
