"""The client of the schema registry, which distinguishes errors that the registry reports from outages."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

with warnings.catch_warnings(record=True):  # importing authlib raises a deprecation warning about authlib itself
    from confluent_kafka.schema_registry import Schema, SchemaRegistryClient, SchemaRegistryError

from eddyline.adapters.registry.errors import (
    InvalidAnswerError,
    RegistrySettingError,
    RegistryUnavailableError,
    SchemaRefusedError,
    UnknownSchemaError,
)
from eddyline.adapters.registry.settings import RegistrySettings
from eddyline.adapters.registry.wire_format import SchemaId
from eddyline.application.ports.codec import CodecError

T = TypeVar("T")

_NOT_FOUND, _CONFLICT, _UNPROCESSABLE = 404, 409, 422
_NOT_FOUND_CODES = range(40400, 40500)
_IDS = range(1, 2**31)
_MAX_REFERENCES = 500
_WRONG_TYPE = (TypeError, AttributeError)
_UNREADABLE = (ValueError, LookupError, RecursionError)


class RegisteredSchema(NamedTuple):
    """A schema of the registry: its type (AVRO, JSON, …), its text, and the schemas that it refers to, dependencies first.

    Those are given by the names by which they are referred to, and their texts.
    """

    schema_type: str
    text: str
    references: tuple[tuple[str, str], ...] = ()


class SchemaRegistry:
    """A schema registry. It can be pickled, and connects when it is first used.

    All methods raise RegistryUnavailableError if the registry does not answer or denies access, and RegistrySettingError for
    settings that the client does not accept.
    """

    def __init__(self, settings: RegistrySettings) -> None:
        self.settings = settings
        self._client: SchemaRegistryClient | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.settings,)

    def get_schema(self, schema_id: SchemaId) -> RegisteredSchema:
        """Return the schema with an id or a GUID.

        Raises:
            UnknownSchemaError: the registry does not have the schema.
            InvalidAnswerError: the registry has something else in its place.
        """
        return self._with_references(self._find_schema(str(schema_id), lambda client: _get_schema(client, schema_id.value)))

    def get_latest_schema(self, subject: str) -> RegisteredSchema | None:
        """Return the latest schema of a subject, or None if the subject has none.

        Raises:
            UnknownSchemaError: the schema refers to another that the registry does not have.
            InvalidAnswerError: the registry has something else in its place.
        """
        try:
            latest = self._find_schema(f"subject '{subject}'", lambda client: client.get_latest_version(subject).schema)
        except InvalidAnswerError:
            raise
        except UnknownSchemaError:
            return None
        return self._with_references(latest)

    def get_latest_schema_id(self, subject: str) -> int | None:
        """Return the id of the latest schema of a subject, or None if the subject has none."""
        try:
            return self._find(f"subject '{subject}'", lambda client: _id(client.get_latest_version(subject).schema_id))
        except UnknownSchemaError:
            return None

    def register_schema(self, subject: str, schema_type: str, text: str) -> int:
        """Register a schema under a subject, unless it is registered already, and return its id.

        Raises:
            SchemaRefusedError: the registry refuses the schema, which is invalid or incompatible with earlier versions.
        """
        try:
            return self._ask(lambda client: _id(client.register_schema(subject, Schema(text, schema_type))))
        except SchemaRegistryError as error:
            if error.http_status_code in (_CONFLICT, _UNPROCESSABLE):
                raise SchemaRefusedError(f"subject '{subject}' refuses the schema: {error.error_message}") from error
            raise self._unavailable(error) from error

    def lookup_schema(self, subject: str, schema_type: str, text: str) -> int:
        """Return the id of a schema that is registered under a subject.

        Raises:
            SchemaRefusedError: the schema is not registered there.
        """
        try:
            return self._find(
                f"subject '{subject}'", lambda client: _id(client.lookup_schema(subject, Schema(text, schema_type)).schema_id)
            )
        except UnknownSchemaError:
            raise SchemaRefusedError(
                f"subject '{subject}' does not have the schema and auto.register.schemas is false; "
                f"register it, or set auto.register.schemas to true: {text}"
            ) from None

    def close(self) -> None:
        """Close the connection; another use opens it again."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _find(self, what: str, request: Callable[[SchemaRegistryClient], T]) -> T:
        try:
            return self._ask(request)
        except SchemaRegistryError as error:
            if error.http_status_code == _NOT_FOUND and (error.error_code in _NOT_FOUND_CODES or self._is_registry()):
                raise UnknownSchemaError(f"{what} is unknown to the schema registry at {self.settings.url}") from error
            raise self._unavailable(error) from error

    def _find_schema(self, what: str, request: Callable[[SchemaRegistryClient], Schema]) -> Schema:
        try:
            return self._find(what, lambda client: _with_text(request(client)))
        except RegistryUnavailableError as error:
            cause = error.__cause__
            if isinstance(cause, _WRONG_TYPE + _UNREADABLE) and self._is_registry():
                reason = str(cause) or type(cause).__name__
                raise InvalidAnswerError(
                    f"the schema registry at {self.settings.url} has no valid schema for {what}: {reason}"
                ) from error
            raise

    def _ask(self, request: Callable[[SchemaRegistryClient], T]) -> T:
        """Return the answer to a request.

        Raises:
            SchemaRegistryError: the registry answered with an error.
            RegistryUnavailableError: there was no answer.
        """
        if self._client is None:
            self._client = _connect(self.settings)
        try:
            return request(self._client)
        except SchemaRegistryError:
            raise
        except Exception as error:
            raise self._unavailable(error) from error

    def _is_registry(self) -> bool:
        """Return whether a schema registry answers at the URL; below a wrong path, every answer is 404."""
        try:
            found: object = self._ask(lambda client: client.get_schema_types())
            return isinstance(found, list) and bool(found)
        except (SchemaRegistryError, RegistryUnavailableError):
            return False

    def _unavailable(self, error: Exception) -> RegistryUnavailableError:
        reason = str(error) or type(error).__name__
        return RegistryUnavailableError(
            f"the schema registry at {self.settings.url} is unavailable: {reason}; "
            "check that it runs, schema.registry.url and the credentials"
        )

    def _with_references(self, schema: Schema) -> RegisteredSchema:
        found: list[tuple[str, str]] = []
        self._collect_references(schema, found, set())
        return RegisteredSchema(schema.schema_type or "AVRO", schema.schema_str or "", tuple(found))

    def _collect_references(self, schema: Schema, found: list[tuple[str, str]], seen: set[tuple[str, int]]) -> None:
        """Append the schemas that a schema refers to, each after those that it refers to itself."""
        for reference in schema.references or ():
            subject, version = key = (reference.subject or "", reference.version or 0)
            if key in seen:
                continue
            if len(seen) == _MAX_REFERENCES:
                raise CodecError(f"the schema refers to more than {_MAX_REFERENCES} other schemas")
            seen.add(key)
            what = f"version {version} of subject '{subject}', which a schema refers to,"
            referenced = self._find_schema(what, lambda client, key=key: client.get_version(*key).schema)  # type: ignore[misc]
            self._collect_references(referenced, found, seen)
            found.append((reference.name or "", referenced.schema_str or ""))


def _get_schema(client: SchemaRegistryClient, value: int | str) -> Schema:
    return client.get_schema(value) if isinstance(value, int) else client.get_schema_by_guid(value)


def _with_text(schema: Schema) -> Schema:
    if schema.schema_str is None:
        raise ValueError("the answer has no schema; is this the URL of a schema registry?")
    references = schema.references or ()
    named = (text or "" for each in references for text in (each.subject, each.name))
    if not all(isinstance(text, str) for text in (schema.schema_str, schema.schema_type or "AVRO", *named)):
        raise TypeError("the answer has a schema, a type or a name that is not text")
    if not all(type(each.version or 0) is int for each in references):
        raise TypeError("the answer has a version of a schema that is not an integer")
    return schema


def _id(schema_id: object) -> int:
    if schema_id is None:
        raise ValueError("the answer has no schema id; is this the URL of a schema registry?")
    if type(schema_id) is not int or schema_id not in _IDS:
        raise ValueError(
            f"the answer has the schema id {str(schema_id)[:40]!r}, which is not a positive integer of 32 bits;"
            " is this the URL of a schema registry?"
        )
    return schema_id


def _connect(settings: RegistrySettings) -> SchemaRegistryClient:
    try:
        return SchemaRegistryClient.new_client({"url": settings.url, **settings.client})
    except (ValueError, TypeError, OSError) as error:
        raise RegistrySettingError(f"invalid settings for the schema registry at {settings.url}: {error}") from error
