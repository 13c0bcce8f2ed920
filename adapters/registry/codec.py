"""A codec whose schemas are registered: it looks up the writer's schema and registers its own; the format does the rest."""

import time
from typing import Any, Final

from eddyline.adapters.codecs.errors import in_one_line, shortened
from eddyline.adapters.codecs.kept import Comparison, cure
from eddyline.adapters.registry.client import RegisteredSchema, SchemaRegistry
from eddyline.adapters.registry.errors import SubjectNameError, UnknownSchemaError
from eddyline.adapters.registry.format import Decode, Format
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.adapters.registry.wire_format import (
    PREFIX_BYTES,
    SchemaId,
    find_header,
    parse_schema_id,
    parse_schema_id_header,
    schema_id_header,
    schema_id_prefix,
)
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers

_MAX_UNKNOWN: Final = 10_000
"""How many unknown ids are remembered, so that records with random ids take a limited amount of memory."""

_FIRST: Final = 100
"""So many values are read again when they are written."""
_CHECKED: Final = "JSON"
"""The type of schemas whose codec checks all values itself."""
_COMPARISON: Final = Comparison(has_unions=False, has_untyped=True, is_strict=True)

_INDEXED: Final = "PROTOBUF"
"""The type of schemas with several messages, of which records name one by its indexes."""
_KEPT_INDEXES: Final = (b"", b"\x00")
"""No indexes, and those of the first message."""


class RegistryCodec(Codec):
    """A codec of values with the id of their schema: encoded in a prefix, decoded from a prefix or a header.

    Each schema is looked up once. An id that the registry does not know is looked up again after
    `unknown.schema.retry.ms`, so that many invalid records do not cause as many requests. Encoding and decoding raise
    RegistryUnavailableError while the registry does not answer.
    """

    def __init__(self, context: SerializationContext, registry: SchemaRegistry, form: Format) -> None:
        self.context = context
        self._registry = registry
        self._format = form
        self._header = schema_id_header(context.field)
        self.headers_read = frozenset({self._header})
        self._decoders: dict[bytes, Decode] = {}
        self._by_header: dict[bytes, Decode] = {}
        self._unknown: dict[bytes, tuple[float, str]] = {}
        self._prefix: bytes | None = None
        self._left = 0 if form.schema_type == _CHECKED else _FIRST
        self._decode_own: Decode | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return RegistryCodec, (self.context, self._registry, self._format)

    @property
    def subject(self) -> str:
        """The subject of the schema.

        Raises:
            SubjectNameError: the subject name strategy needs the name of a record and the schema has none.
        """
        try:
            return self._registry.settings.strategy(self.context).subject(self.context, self._format.record_name)
        except LookupError as error:
            raise SubjectNameError(str(error)) from None

    @property
    def parts(self) -> "tuple[RegistryCodec, ...]":
        """The codecs that write values, each with one schema."""
        return (self,)

    def register_schema(self) -> int:
        """Register the schema, or look it up if `auto.register.schemas` is false, and return its id.

        Raises:
            SubjectNameError: there is no name for the subject.
            SchemaRefusedError: the registry refuses the schema, or does not have it.
            RegistryUnavailableError: the registry does not answer.
        """
        request = self._registry.register_schema if self._registry.settings.auto_register else self._registry.lookup_schema
        return request(self.subject, self._format.schema_type, self._format.schema_text)

    def incompatibilities_with_latest(self) -> tuple[str, ...]:
        """Return why values of the latest schema of the subject cannot be decoded; empty if they can, or if there is none.

        Raises:
            CodecError: the latest schema is invalid.
            RegistryUnavailableError: the registry does not answer.
        """
        latest = self._registry.get_latest_schema(self.subject)
        if latest is None:
            return ()
        if latest.schema_type != self._format.schema_type:
            return (self._other_type(latest),)
        return self._format.incompatibilities(latest.text, latest.references)

    def unmatched_fields(self) -> tuple[str, ...]:
        """Return the fields of the type that the latest schema of the subject does not have. Raises CodecError."""
        latest = self._latest()
        return () if latest is None else self._format.unmatched_fields(latest.text, latest.references)

    def respelled_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the fields that the latest schema of the subject has in another spelling: their names there, and here.

        Raises:
            CodecError: the latest schema is invalid.
        """
        latest = self._latest()
        return () if latest is None else self._format.respelled_fields(latest.text, latest.references)

    def _latest(self) -> RegisteredSchema | None:
        """Return the latest schema of the subject if it has the type of the format."""
        latest = self._registry.get_latest_schema(self.subject)
        return None if latest is None or latest.schema_type != self._format.schema_type else latest

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if self._prefix is None:
            self._prefix = schema_id_prefix(self.register_schema())
        try:
            data = self._format.encode(value, self._prefix)
            if self._left:
                self._check_kept(value, data)
        except CodecError as error:
            raise CodecError(f"cannot encode the {self.context}: {error}") from error
        return data

    def _check_kept(self, value: Any, data: bytes) -> None:
        """Refuse a value that does not come back as it was, as where a class changes its fields when it is created."""
        self._left -= 1
        try:
            self._decode_own = self._decode_own or self._format.decoder(self._format.schema_text, ())
        except CodecError:  # a field without a default is not written
            self._left = 0
            return
        found = self._decode_own(data, PREFIX_BYTES)
        if not _COMPARISON.is_kept(value, found):
            path, part, back = _COMPARISON.change(value, found)
            start = f"{path.lstrip('.')}: " if path else ""
            raise CodecError(f"{start}{shortened(part)} would come back as {shortened(back)}; {cure(part, back)}")

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            header = find_header(self._header, headers) if headers else None
            if header is not None:
                return (self._by_header.get(header) or self._decoder_by_header(header))(data, 0)
            decode = self._decoders.get(data[:PREFIX_BYTES])
            if decode is not None:
                return decode(data, PREFIX_BYTES)
            schema_id, offset = parse_schema_id(data)
            return self._decoder(data[:offset], schema_id)(data, offset)
        except CodecError as error:
            raise type(error)(f"cannot decode the {self.context}: {error}") from error

    def _decoder_by_header(self, header: bytes) -> Decode:
        """Return the decoder for the schema id in a header, behind which there may be the indexes of a message."""
        with_indexes = self._format.schema_type == _INDEXED
        schema_id, indexes = parse_schema_id_header(self._header, header, with_indexes=with_indexes)
        decode = self._decoder(header.removesuffix(indexes), schema_id)
        if indexes:
            decode = _with_indexes(decode, indexes)
        if indexes in _KEPT_INDEXES:  # others can be anything, of any length
            self._by_header[header] = decode
        return decode

    def _decoder(self, encoded_id: bytes, schema_id: SchemaId) -> Decode:
        """Return the decoder for the writer's schema with an id, which is looked up once."""
        known = self._decoders.get(encoded_id)
        if known is not None:
            return known
        retry_at, reason = self._unknown.get(encoded_id, (0.0, ""))
        if time.monotonic() < retry_at:
            raise UnknownSchemaError(reason)
        try:
            schema = self._registry.get_schema(schema_id)
        except UnknownSchemaError as error:
            retry_at = time.monotonic() + self._registry.settings.unknown_schema_retry_ms / 1_000
            if len(self._unknown) >= _MAX_UNKNOWN:
                self._unknown.clear()
            self._unknown[encoded_id] = (retry_at, str(error))
            raise
        decode = self._decoders[encoded_id] = self._decoder_of(str(schema_id), schema)
        return decode

    def _decoder_of(self, schema_id: str, schema: RegisteredSchema) -> Decode:
        """Return the decoder for a writer's schema; for an incompatible schema, it refuses every value."""
        if schema.schema_type != self._format.schema_type:
            return _refusal(f"{schema_id}: {self._other_type(schema)}")
        try:
            return self._format.decoder(schema.text, schema.references)
        except CodecError as error:
            return _refusal(f"{schema_id} is incompatible with the type of the flow: {error}")
        except Exception as error:  # noqa: BLE001 - a schema is data of others, whatever it does to its parser
            return _refusal(f"{schema_id} cannot be used: {in_one_line(error)}")

    def _other_type(self, schema: RegisteredSchema) -> str:
        return f"expected a schema of type {self._format.schema_type}, found {schema.schema_type}"


def _with_indexes(decode: Decode, indexes: bytes) -> Decode:
    """Return a decoder of data whose message indexes are in a header."""
    return lambda data, offset: decode(indexes + data[offset:], 0)


def _refusal(reason: str) -> Decode:
    def refuse(_data: bytes, _offset: int) -> Any:
        raise CodecError(reason)

    return refuse
