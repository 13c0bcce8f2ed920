"""A codec whose schemas live in the registry: finds the writer's schema and names our own; the format does the rest."""

import time
from typing import Any

from eddyline.adapters.registry.client import Registry, StoredSchema
from eddyline.adapters.registry.errors import NoSchemaError, UnknownSchemaError
from eddyline.adapters.registry.format import Format, Reader
from eddyline.adapters.registry.places import Place
from eddyline.adapters.registry.wire import PREFIX_BYTES, header_name, pointer_in, pointer_in_header, prefix_of, schema_header
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers


class RegistryCodec(Codec):
    """Writes values with a schema of the registry before them, and reads what names its schema there or in a header.

    Schemas are asked for once. What the registry did not know is taken for unknown for a while, so that a run of bad records
    does not become a run of questions. Reading and writing raise RegistryUnavailableError while the registry does not answer.
    """

    def __init__(self, place: Place, registry: Registry, form: Format) -> None:
        self.place = place
        self._registry = registry
        self._format = form
        self._header = header_name(place.part)
        self.headers_read = frozenset({self._header})
        self._readers: dict[bytes, Reader] = {}
        self._unknown: dict[bytes, tuple[float, str]] = {}
        self._prefix: bytes | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return RegistryCodec, (self.place, self._registry, self._format)

    @property
    def subject(self) -> str:
        """Where our schema stands in the registry. Raises NoSchemaError when the subject name strategy has no name for it."""
        settings = self._registry.settings
        strategy = settings.key_strategy if self.place.part == "key" else settings.value_strategy
        try:
            return strategy.subject(self.place.topic, self.place.part, self._format.record_name)
        except LookupError as error:
            raise NoSchemaError(str(error)) from None

    def register(self) -> int:
        """The id of our schema, which is put into the registry unless `auto.register.schemas` is false.

        Raises NoSchemaError, SchemaRefusedError with the registry's reason, RegistryUnavailableError.
        """
        ask = self._registry.register if self._registry.settings.auto_register else self._registry.id_of
        return ask(self.subject, self._format.kind, self._format.schema_text)

    def gaps_to_latest(self) -> tuple[str, ...]:
        """What values of the newest schema of our subject cannot all be read as our type; nothing where there is none yet."""
        stored = self._registry.latest(self.subject)
        if stored is None:
            return ()
        if stored.kind != self._format.kind:
            return (f"it is of the kind {stored.kind}, not {self._format.kind}",)
        return self._format.gaps(stored.text, stored.references)

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if self._prefix is None:
            self._prefix = prefix_of(self.register())
        try:
            return self._format.payload(value, self._prefix)
        except CodecError as error:
            raise CodecError(f"the {self.place} cannot be written: {error}") from error

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            named = schema_header(self._header, headers) if headers else None
            if named is not None:
                return (self._readers.get(named) or self._learn(named, in_header=True))(data, 0)
            reader = self._readers.get(data[:PREFIX_BYTES])
            if reader is not None:
                return reader(data, PREFIX_BYTES)
            _, offset = pointer_in(data)
            return self._learn(data[:offset], in_header=False)(data, offset)
        except CodecError as error:
            raise type(error)(f"the {self.place} cannot be read: {error}") from error

    def _learn(self, pointer: bytes, *, in_header: bool) -> Reader:
        """The reader for the schema that these bytes name."""
        if pointer not in self._readers:
            named, _ = pointer_in_header(self._header, pointer) if in_header else pointer_in(pointer)
            until, reason = self._unknown.get(pointer, (0.0, ""))
            if time.monotonic() < until:
                raise UnknownSchemaError(reason)
            try:
                stored = self._registry.schema_at(named)
            except UnknownSchemaError as error:
                until = time.monotonic() + self._registry.settings.unknown_schema_retry_ms / 1_000
                self._unknown[pointer] = (until, str(error))
                raise
            self._readers[pointer] = self._reader(str(named), stored)
        return self._readers[pointer]

    def _reader(self, named: str, stored: StoredSchema) -> Reader:
        """The reader; one that refuses every value where the schema cannot be read as our type."""
        if stored.kind != self._format.kind:
            return _refusal(f"{named} is of the kind {stored.kind}, not {self._format.kind}")
        try:
            return self._format.reader(stored.text, stored.references)
        except CodecError as error:
            return _refusal(f"{named} is not ours: {error}")


def _refusal(reason: str) -> Reader:
    def refuse(_data: bytes, _offset: int) -> Any:
        raise CodecError(reason)

    return refuse
