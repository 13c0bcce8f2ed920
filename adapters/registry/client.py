"""Asks the registry, and says apart what it answered from that it could not answer."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

with warnings.catch_warnings(record=True):  # authlib warns every user of what itself imports
    from confluent_kafka.schema_registry import Schema, SchemaRegistryClient, SchemaRegistryError

from eddyline.adapters.registry.errors import (
    RegistrySettingError,
    RegistryUnavailableError,
    SchemaRefusedError,
    UnknownSchemaError,
)
from eddyline.adapters.registry.settings import RegistrySettings
from eddyline.adapters.registry.wire import SchemaPointer

T = TypeVar("T")

_NOT_FOUND, _CONFLICT, _UNPROCESSABLE = 404, 409, 422
_NOT_FOUND_CODES = range(40400, 40500)


class StoredSchema(NamedTuple):
    """A schema of the registry: its kind (AVRO, JSON, …), its text, and the texts that it refers to, each after what it needs."""

    kind: str
    text: str
    references: tuple[str, ...] = ()


class Registry:
    """The registry at one address. It can be pickled; the connection is made at the first use."""

    def __init__(self, settings: RegistrySettings) -> None:
        self.settings = settings
        self._client: SchemaRegistryClient | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.settings,)

    def schema_at(self, pointer: SchemaPointer) -> StoredSchema:
        """The schema with this id or GUID. Raises UnknownSchemaError, RegistryUnavailableError."""
        return self._stored(self._find(str(pointer), lambda client: _schema_at(client, pointer.schema)))

    def latest(self, subject: str) -> StoredSchema | None:
        """The newest schema of the subject, None where the subject has none. Raises RegistryUnavailableError."""
        try:
            found = self._find(f"subject {subject}", lambda client: _complete(client.get_latest_version(subject).schema))
        except UnknownSchemaError:
            return None
        return self._stored(found)

    def register(self, subject: str, kind: str, text: str) -> int:
        """Puts the schema under the subject, once however often it is asked, and gives its id.

        Raises SchemaRefusedError with the registry's reason, RegistryUnavailableError.
        """
        try:
            return self._ask(lambda client: _id(client.register_schema(subject, Schema(text, kind))))
        except SchemaRegistryError as error:
            if error.http_status_code in (_CONFLICT, _UNPROCESSABLE):
                raise SchemaRefusedError(f"subject {subject} does not take our schema: {error.error_message}") from error
            raise self._unavailable(error) from error

    def id_of(self, subject: str, kind: str, text: str) -> int:
        """The id of a schema that somebody put under the subject. Raises SchemaRefusedError where nobody did."""
        try:
            found = self._find(
                f"subject {subject}", lambda client: _id(client.lookup_schema(subject, Schema(text, kind)).schema_id)
            )
        except UnknownSchemaError:
            raise SchemaRefusedError(
                f"subject {subject} does not have our schema and auto.register.schemas is false; "
                f"register it, or set auto.register.schemas to true: {text}"
            ) from None
        return found

    def close(self) -> None:
        """Lets go of the connection; it may be used again afterwards."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _find(self, what: str, question: Callable[[SchemaRegistryClient], T]) -> T:
        try:
            return self._ask(question)
        except SchemaRegistryError as error:
            if error.http_status_code == _NOT_FOUND and (error.error_code in _NOT_FOUND_CODES or self._is_registry()):
                raise UnknownSchemaError(f"{what} is unknown to the registry at {self.settings.url}") from error
            raise self._unavailable(error) from error

    def _ask(self, question: Callable[[SchemaRegistryClient], T]) -> T:
        """The answer; the registry's own errors pass, everything else means that there was no answer."""
        if self._client is None:
            self._client = _connect(self.settings)
        try:
            return question(self._client)
        except SchemaRegistryError:
            raise
        except Exception as error:
            raise self._unavailable(error) from error

    def _is_registry(self) -> bool:
        """Whether a registry answers at the address: a wrong path says 404 to every question."""
        try:
            return isinstance(self._ask(lambda client: client.get_schema_types()), list)
        except SchemaRegistryError:
            return False

    def _unavailable(self, error: Exception) -> RegistryUnavailableError:
        reason = str(error) or type(error).__name__
        return RegistryUnavailableError(
            f"the schema registry at {self.settings.url} cannot be used now: {reason}; "
            "check schema.registry.url, the credentials and that it runs"
        )

    def _stored(self, schema: Schema) -> StoredSchema:
        texts: list[str] = []
        self._collect(schema, texts, set())
        return StoredSchema(schema.schema_type or "AVRO", schema.schema_str or "", tuple(texts))

    def _collect(self, schema: Schema, texts: list[str], seen: set[tuple[str, int]]) -> None:
        """Puts the schemas that it refers to into `texts`, each after those that it needs itself."""
        for reference in schema.references or ():
            subject, version = key = (reference.subject or "", reference.version or 0)
            if key in seen:
                continue
            seen.add(key)
            what = f"version {version} of subject {subject}, which a schema refers to,"
            inner = self._find(what, lambda client, key=key: _complete(client.get_version(*key).schema))  # type: ignore[misc]
            self._collect(inner, texts, seen)
            texts.append(inner.schema_str or "")


def _schema_at(client: SchemaRegistryClient, schema: int | str) -> Schema:
    return _complete(client.get_schema(schema) if isinstance(schema, int) else client.get_schema_by_guid(schema))


def _complete(schema: Schema) -> Schema:
    if not schema.schema_str:
        raise ValueError("the answer has no schema in it, as if it came from something else than a registry")
    return schema


def _id(schema_id: int | None) -> int:
    if schema_id is None:
        raise ValueError("the answer has no id in it, as if it came from something else than a registry")
    return schema_id


def _connect(settings: RegistrySettings) -> SchemaRegistryClient:
    try:
        return SchemaRegistryClient.new_client({"url": settings.url, **settings.client})
    except (ValueError, TypeError, OSError) as error:
        raise RegistrySettingError(f"the settings of the schema registry at {settings.url} cannot be used: {error}") from error
