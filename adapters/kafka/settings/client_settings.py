"""Validates the settings of the Kafka clients and keeps their secrets out of logs and messages."""

import re
from collections.abc import Mapping
from typing import TypeAlias

from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.settings.names import COMMON, CONSUMER, JAVA_ONLY, MANAGED, PRODUCER
from eddyline.application.topology.errors import suggested

SettingValue: TypeAlias = str | int | float | bool
LOCAL_BROKER: Mapping[str, SettingValue] = {"bootstrap.servers": "127.0.0.1:9092"}
"""The broker of this machine, used where `bootstrap.servers` is not set."""

_SECRET = re.compile(r"password|passphrase|secret|jaas|token$|sasl\.oauthbearer\.(config|extensions)$|key\.pem$")
_NAMES_OF_CLIENT = {"consumer": COMMON | CONSUMER, "producer": COMMON | PRODUCER, "admin": COMMON}
_KNOWN = COMMON | CONSUMER | PRODUCER
_REQUEST_TIMEOUT_MS = 30_000


class KafkaSettings:
    """Validated settings of the Kafka clients, immutable and hashable.

    A plain name (`linger.ms`) applies to every kind of client that knows it. With the prefix `consumer.`, `producer.` or
    `admin.` it applies to that kind only and overrides the plain name. Values are passed to the client verbatim, as text.

    Args:
        values: Settings by their dotted names, `bootstrap.servers` among them.

    Raises:
        KafkaSettingsError: a name is unknown, belongs to Java clients only, or is managed by the adapter;
            or `bootstrap.servers` is missing.
    """

    def __init__(self, values: Mapping[str, SettingValue]) -> None:
        self._values = {name: _as_text(value) for name, value in values.items()}
        for name in self._values:
            _validate(name)
        if not ({"bootstrap.servers", "metadata.broker.list"} & self._values.keys()):
            raise KafkaSettingsError(
                "bootstrap.servers is missing; set it to the addresses of the brokers, for example "
                "bootstrap.servers=127.0.0.1:9092"
            )

    @property
    def bootstrap_servers(self) -> str:
        """The addresses for the first connection to the cluster."""
        return self._values.get("bootstrap.servers") or self._values["metadata.broker.list"]

    @property
    def security_protocol(self) -> str:
        """How connections are encrypted and authenticated; `plaintext` by default."""
        return self._values.get("security.protocol", "plaintext")

    @property
    def request_timeout_s(self) -> float:
        """The timeout of a single request in seconds: `socket.timeout.ms`, 30 s by default."""
        return float(self._values.get("socket.timeout.ms", _REQUEST_TIMEOUT_MS)) / 1000

    def consumer(self) -> dict[str, str]:
        """Return the settings of a consumer, secrets included."""
        return self._of_client("consumer")

    def producer(self) -> dict[str, str]:
        """Return the settings of a producer, secrets included."""
        return self._of_client("producer")

    def admin(self) -> dict[str, str]:
        """Return the settings of an admin client, secrets included."""
        return self._of_client("admin")

    def with_values(self, values: Mapping[str, SettingValue]) -> "KafkaSettings":
        """Return a copy with these settings added or overridden."""
        return KafkaSettings({**self._values, **values})

    def redact(self, text: str) -> str:
        """Return the text with every secret value in it replaced by `***`."""
        for name, value in self._values.items():
            if value and is_secret(name):
                text = text.replace(value, "***")
        return text

    def redacted(self) -> dict[str, str]:
        """Return all settings, with `***` instead of secret values."""
        return {name: "***" if is_secret(name) else value for name, value in self._values.items()}

    def _of_client(self, kind: str) -> dict[str, str]:
        plain = {name: value for name, value in self._values.items() if name in _NAMES_OF_CLIENT[kind]}
        prefix = f"{kind}."
        return plain | {name.removeprefix(prefix): value for name, value in self._values.items() if name.startswith(prefix)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KafkaSettings) and self._values == other._values

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"KafkaSettings({self.redacted()})"


def is_secret(name: str) -> bool:
    """Return whether the value of the setting with this name must never be shown."""
    return _SECRET.search(name) is not None


def _as_text(value: SettingValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _validate(name: str) -> None:
    kind, _, rest = name.partition(".")
    known = _NAMES_OF_CLIENT.get(kind, _KNOWN)
    plain = rest if kind in _NAMES_OF_CLIENT else name
    if plain in MANAGED:
        raise KafkaSettingsError(f"Kafka setting '{name}' cannot be set: {MANAGED[plain]}")
    if plain in known:
        return
    if plain in JAVA_ONLY:
        raise KafkaSettingsError(f"Kafka setting '{name}' exists for Java clients only; {JAVA_ONLY[plain]}")
    if plain in _KNOWN:
        raise KafkaSettingsError(f"Kafka setting '{name}' does not apply to {kind} clients; set '{plain}' without the prefix")
    hint = suggested(plain, sorted(_KNOWN - MANAGED.keys()), "librdkafka's CONFIGURATION.md lists all settings")
    raise KafkaSettingsError(f"unknown Kafka setting '{name}'; {hint}")
