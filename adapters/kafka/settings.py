"""Settings for Kafka's clients by their dotted names: checked, passed on verbatim, and never shown with their secrets."""

import difflib
import re
from collections.abc import Mapping
from typing import TypeAlias

from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.setting_names import CONSUMER, JAVA_NAMES, MANAGED, PRODUCER, SHARED

Value: TypeAlias = str | int | float | bool
LOCAL_BROKER: Mapping[str, Value] = {"bootstrap.servers": "127.0.0.1:9092"}
"""The broker of this machine, which is asked where none is named."""

_SECRET = re.compile(r"password|passphrase|secret|jaas|token$|sasl\.oauthbearer\.(config|extensions)$|key\.pem$")
_ROLES = {"consumer": SHARED | CONSUMER, "producer": SHARED | PRODUCER, "admin": SHARED}
_KNOWN = SHARED | CONSUMER | PRODUCER
_SUGGESTIONS = 3
_REQUEST_TIMEOUT_MS = 30_000


class KafkaSettings:
    """Checked settings: `bootstrap.servers` and what else the clients shall get, by Kafka's dotted names.

    A name may carry the prefix `consumer.`, `producer.` or `admin.` to reach only clients of this kind, where it wins over the
    plain name. Plain names reach every client that takes them. Values are passed on as they are, as text.
    Raises KafkaSettingsError for a name that no client takes, naming the nearest, and for one that the adapter sets by itself.
    """

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = {name: _as_text(value) for name, value in values.items()}
        for name in self._values:
            _check(name)
        if not ({"bootstrap.servers", "metadata.broker.list"} & self._values.keys()):
            raise KafkaSettingsError(
                "bootstrap.servers is missing: name the brokers, for example bootstrap.servers=127.0.0.1:9092"
            )

    @property
    def bootstrap_servers(self) -> str:
        """The brokers that clients ask first."""
        return self._values.get("bootstrap.servers") or self._values["metadata.broker.list"]

    @property
    def request_timeout_s(self) -> float:
        """How long a single question waits for its answer: `socket.timeout.ms`, 30 s where it is not set."""
        return float(self._values.get("socket.timeout.ms", _REQUEST_TIMEOUT_MS)) / 1000

    def consumer(self) -> dict[str, str]:
        """What a consumer gets."""
        return self._for("consumer")

    def producer(self) -> dict[str, str]:
        """What a producer gets."""
        return self._for("producer")

    def admin(self) -> dict[str, str]:
        """What an admin client gets."""
        return self._for("admin")

    def with_values(self, values: Mapping[str, Value]) -> "KafkaSettings":
        """These settings with others over them."""
        return KafkaSettings({**self._values, **values})

    def hide(self, text: str) -> str:
        """The text with every secret value in it replaced by stars."""
        for name, value in self._values.items():
            if value and is_secret(name):
                text = text.replace(value, "***")
        return text

    def shown(self) -> dict[str, str]:
        """All settings, secrets replaced by stars."""
        return {name: "***" if is_secret(name) else value for name, value in self._values.items()}

    def _for(self, role: str) -> dict[str, str]:
        plain = {name: value for name, value in self._values.items() if name in _ROLES[role]}
        start = f"{role}."
        return plain | {name.removeprefix(start): value for name, value in self._values.items() if name.startswith(start)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KafkaSettings) and self._values == other._values

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"KafkaSettings({self.shown()})"


def is_secret(name: str) -> bool:
    """Whether a setting of this name must never be shown."""
    return _SECRET.search(name) is not None


def _as_text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check(name: str) -> None:
    role, _, rest = name.partition(".")
    known = _ROLES.get(role, _KNOWN)
    plain = rest if role in _ROLES else name
    if plain in MANAGED:
        raise KafkaSettingsError(f"Kafka setting {name!r} cannot be set: {MANAGED[plain]}")
    if plain in known:
        return
    if plain in JAVA_NAMES:
        raise KafkaSettingsError(f"Kafka setting {name!r} belongs to Java clients; here it is {JAVA_NAMES[plain]}")
    if plain in _KNOWN:
        raise KafkaSettingsError(f"Kafka setting {plain!r} means nothing to a client of the kind {role!r}; leave the prefix out")
    nearest = difflib.get_close_matches(plain, sorted(_KNOWN - MANAGED.keys()), _SUGGESTIONS)
    choices = f"; the nearest are {', '.join(nearest)}" if nearest else "; the client's documentation lists them all"
    raise KafkaSettingsError(f"Kafka setting {name!r} is unknown{choices}")
