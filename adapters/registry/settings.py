"""The settings of the schema registry, by the names that Confluent's clients use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from eddyline.adapters.registry.errors import RegistrySettingError
from eddyline.adapters.registry.serialization_context import MessageField, SerializationContext
from eddyline.adapters.registry.subjects import SubjectNameStrategy, strategy_named

_PREFIX = "schema.registry."
_OWN = ("auto.register.schemas", "unknown.schema.retry.ms")
_STRATEGIES: Mapping[str, MessageField] = {"key.subject.name.strategy": "key", "value.subject.name.strategy": "value"}
_CLIENT_DEFAULTS: Mapping[str, Any] = {"timeout": 10.0, "max.retries": 5, "retries.wait.ms": 200, "retries.max.wait.ms": 5_000}
_NUMBERS: Mapping[str, type] = {
    "timeout": float,
    "max.retries": int,
    "retries.wait.ms": int,
    "retries.max.wait.ms": int,
    "cache.capacity": int,
    "cache.latest.ttl.sec": int,
    "unknown.schema.retry.ms": int,
}
_USER_INFO = "basic.auth.user.info"
_CLIENT_NAMES = (
    *_CLIENT_DEFAULTS,
    "cache.capacity",
    "cache.latest.ttl.sec",
    "proxy",
    _USER_INFO,
    "ssl.ca.location",
    "ssl.key.location",
    "ssl.key.password",
    "ssl.certificate.location",
)
_BEARER_PREFIX = "bearer.auth."
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class RegistrySettings:
    """The settings of the registry's client, and how schemas are registered.

    Args:
        url: the URL of the registry, or several separated by commas, without user and password.
        client: the settings of the client, some of them secret, so that they are left out of the repr.
        auto_register: whether schemas are registered; otherwise they must be registered already.
        strategies: the subject name strategies by field, `key` or `value`, and by topic, "" for all other topics; the default is
            the name of the topic.
        unknown_schema_retry_ms: how long an unknown schema id is not looked up again, in ms.
    """

    url: str
    client: Mapping[str, Any] = field(default_factory=dict, repr=False)
    auto_register: bool = True
    strategies: Mapping[tuple[MessageField, str], SubjectNameStrategy] = field(default_factory=dict)
    unknown_schema_retry_ms: int = 10_000

    @classmethod
    def from_properties(cls, properties: Mapping[str, Any]) -> "RegistrySettings":
        """Return the settings from properties, whose names may begin with `schema.registry.`; `url` is required.

        `value.subject.name.strategy.<topic>` is the subject name strategy for the values of one topic, likewise for keys.

        Raises:
            RegistrySettingError: a name is unknown, or a value is invalid.
        """
        given = {name.removeprefix(_PREFIX): value for name, value in properties.items()}
        url, user_info = _without_user_info(_url(given.pop("url", None)))
        if user_info is not None:
            given.setdefault(_USER_INFO, user_info)
        strategies = _strategies(given)
        for name in given:
            if name not in (*_CLIENT_NAMES, *_OWN) and not name.startswith(_BEARER_PREFIX):
                own = (*_OWN, *_STRATEGIES, *(f"{strategy}.<topic>" for strategy in _STRATEGIES))
                choices = ", ".join(sorted(("url", *_CLIENT_NAMES, *own, f"{_BEARER_PREFIX}*")))
                raise RegistrySettingError(f"unknown setting '{_PREFIX}{name}'; choose one of: {choices}")
        numbers = {name: _number(name, given[name]) for name in given if name in _NUMBERS}
        values = {**given, **numbers}
        return cls(
            url=url,
            client={**_CLIENT_DEFAULTS, **{name: value for name, value in values.items() if name not in _OWN}},
            auto_register=_boolean("auto.register.schemas", values.get("auto.register.schemas", True)),
            strategies=strategies,
            unknown_schema_retry_ms=values.get("unknown.schema.retry.ms", 10_000),
        )

    def strategy(self, context: SerializationContext) -> SubjectNameStrategy:
        """Return the subject name strategy for the keys or values of a topic."""
        default = self.strategies.get((context.field, ""), SubjectNameStrategy.TOPIC)
        return self.strategies.get((context.field, context.topic), default)


def _url(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise RegistrySettingError(
            f"setting '{_PREFIX}url' is missing; set it to the URL of the registry's API, as in http://localhost:8081"
        )
    for url in value.split(","):
        if not url.strip().startswith(("http://", "https://")):
            raise RegistrySettingError(f"setting '{_PREFIX}url' must begin with http:// or https://")
    return value


def _without_user_info(urls: str) -> tuple[str, str | None]:
    """Return the URLs without user and password, and the `user:password` of the first that has one."""
    found = None
    clean = []
    for url in urls.split(","):
        scheme, separator, rest = url.strip().partition("://")
        host, slash, path = rest.partition("/")
        user_info, _, host = host.rpartition("@")
        found = found or (unquote(user_info) or None)
        clean.append(f"{scheme}{separator}{host}{slash}{path}".rstrip("/"))
    return ",".join(clean), found


def _number(name: str, value: object) -> float | int:
    try:
        number: float | int = _NUMBERS[name](str(value))
    except ValueError:
        number = -1
    if number < 0:
        kind = "an integer" if _NUMBERS[name] is int else "a number"
        raise RegistrySettingError(f"setting '{_PREFIX}{name}': '{value}' is not {kind} of 0 or more")
    return number


def _boolean(name: str, value: object) -> bool:
    found = _BOOLEANS.get(str(value).lower())
    if found is None:
        raise RegistrySettingError(f"setting '{_PREFIX}{name}': '{value}' is neither true nor false")
    return found


def _strategies(given: dict[str, Any]) -> dict[tuple[MessageField, str], SubjectNameStrategy]:
    """Remove the subject name strategies from the settings and return them by field and topic."""
    found: dict[tuple[MessageField, str], SubjectNameStrategy] = {}
    for name in list(given):
        for setting, message_field in _STRATEGIES.items():
            if name == setting or name.startswith(f"{setting}."):
                try:
                    found[message_field, name.removeprefix(setting).removeprefix(".")] = strategy_named(str(given.pop(name)))
                except LookupError as error:
                    raise RegistrySettingError(f"setting '{_PREFIX}{name}': {error.args[0]}") from None
    return found
