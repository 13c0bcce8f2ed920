"""Where the registry is and how patient to be with it, by the names that Confluent's clients give the settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from eddyline.adapters.registry.errors import RegistrySettingError
from eddyline.adapters.registry.subjects import SubjectNameStrategy, strategy_named

_PREFIX = "schema.registry."
_OWN = ("auto.register.schemas", "key.subject.name.strategy", "value.subject.name.strategy", "unknown.schema.retry.ms")
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
_USER = "basic.auth.user.info"
_CLIENT_NAMES = (
    *_CLIENT_DEFAULTS,
    "cache.capacity",
    "cache.latest.ttl.sec",
    "proxy",
    _USER,
    "ssl.ca.location",
    "ssl.key.location",
    "ssl.key.password",
    "ssl.certificate.location",
)
_TOKEN_PREFIX = "bearer.auth."  # noqa: S105 - the name of a setting
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class RegistrySettings:
    """What the registry's client needs, and how schemas are named and registered.

    `url` has no user or password in it. `client` are the settings of the client itself, secrets among them, so that it is never
    shown. `unknown_schema_retry_ms` is
    how long an id that the registry did not know is taken for unknown without asking again.
    """

    url: str
    client: Mapping[str, Any] = field(default_factory=dict, repr=False)
    auto_register: bool = True
    key_strategy: SubjectNameStrategy = SubjectNameStrategy.TOPIC
    value_strategy: SubjectNameStrategy = SubjectNameStrategy.TOPIC
    unknown_schema_retry_ms: int = 10_000

    @classmethod
    def from_properties(cls, properties: Mapping[str, Any]) -> "RegistrySettings":
        """The settings in `properties`; each name may begin with `schema.registry.`, and `url` must be there.

        Raises RegistrySettingError for an unknown name or an impossible value.
        """
        given = {name.removeprefix(_PREFIX): value for name, value in properties.items()}
        url = _url(given.pop("url", None))
        url, user = _without_user(url)
        if user is not None:
            given.setdefault(_USER, user)
        for name in given:
            if name not in (*_CLIENT_NAMES, *_OWN) and not name.startswith(_TOKEN_PREFIX):
                choices = ", ".join(sorted(("url", *_CLIENT_NAMES, *_OWN, f"{_TOKEN_PREFIX}*")))
                raise RegistrySettingError(f"{_PREFIX}{name} is unknown; there are: {choices}")
        numbers = {name: _number(name, given[name]) for name in given if name in _NUMBERS}
        known = {**given, **numbers}
        return cls(
            url=url,
            client={**_CLIENT_DEFAULTS, **{name: value for name, value in known.items() if name not in _OWN}},
            auto_register=_boolean("auto.register.schemas", known.get("auto.register.schemas", True)),
            key_strategy=_strategy("key.subject.name.strategy", known),
            value_strategy=_strategy("value.subject.name.strategy", known),
            unknown_schema_retry_ms=known.get("unknown.schema.retry.ms", 10_000),
        )


def _url(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise RegistrySettingError(f"{_PREFIX}url is missing; it is where the registry's API begins, as in http://localhost:8081")
    for part in value.split(","):
        if not part.strip().startswith(("http://", "https://")):
            raise RegistrySettingError(f"{_PREFIX}url must begin with http:// or https://")
    return value


def _without_user(urls: str) -> tuple[str, str | None]:
    """The addresses without user and password, and the `user:password` of the first that has one."""
    found = None
    clean = []
    for url in urls.split(","):
        scheme, separator, rest = url.strip().partition("://")
        host, slash, path = rest.partition("/")
        user, _, host = host.rpartition("@")
        found = found or (unquote(user) or None)
        clean.append(f"{scheme}{separator}{host}{slash}{path}".rstrip("/"))
    return ",".join(clean), found


def _number(name: str, value: object) -> float | int:
    try:
        number: float | int = _NUMBERS[name](str(value))
    except ValueError:
        number = -1
    if number < 0:
        raise RegistrySettingError(f"{_PREFIX}{name}: {value!r} must be a number that is not negative")
    return number


def _boolean(name: str, value: object) -> bool:
    found = _BOOLEANS.get(str(value).lower())
    if found is None:
        raise RegistrySettingError(f"{_PREFIX}{name}: {value!r} must be true or false")
    return found


def _strategy(name: str, given: Mapping[str, Any]) -> SubjectNameStrategy:
    try:
        return strategy_named(str(given.get(name, "topic")))
    except LookupError as error:
        raise RegistrySettingError(f"{_PREFIX}{name}: {error.args[0]}") from None
