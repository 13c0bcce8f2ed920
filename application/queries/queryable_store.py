"""A store as queries see it: what its entries are found by, and its keys and rows in the types of the flow."""

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any, get_args, get_origin, get_type_hints

from eddyline.application.ports.codec import Codec, CodecError, Codecs
from eddyline.application.ports.read_model import EntryKey, StoredEntry
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.queries.answers import InvalidQueryError, QueryError
from eddyline.application.queries.sort_keys import sort_key, sort_prefix
from eddyline.application.runtime.plan.encoding import StateKeyCodec
from eddyline.application.runtime.plan.topic_types import codec_type, state_codecs, store_types
from eddyline.application.runtime.progress.store_rows import StoreRow, row_of
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.types import type_name, without_none
from eddyline.application.topology.windows import SlidingWindows


class QueryableStore:
    """A store with the codecs of its changelog.

    Args:
        spec: The specification of the store.
        codecs: The codecs of the flow.
    """

    def __init__(self, spec: StoreSpec, codecs: Codecs) -> None:
        stored = state_codecs(store_types(spec), codecs)
        self.spec, self._codecs = spec, codecs
        self.key_type, self.value_type = codec_type(spec.key_type), codec_type(spec.value_type)
        self._decode_key, self._decode_value = stored.key.decode, stored.value.decode
        self._key_codec: Codec = StateKeyCodec(codecs.for_state(self.key_type), self.key_type)
        self._has_times = spec.kind in (StoreKind.WINDOW, StoreKind.SESSION, StoreKind.VERSIONED)

    def found_by(self, encoded: bytes) -> EntryKey:
        """Return what the entry with an encoded key is found by.

        Raises:
            QueryError: the key is not one of this store.
        """
        try:
            stored = self._decode_key(encoded)
        except CodecError as error:
            raise QueryError(
                f"the changelog of store '{self.spec.name}' has a key that is not of type {type_name(self.key_type)}: {error}; "
                "query the flow that wrote it, or reset the application"
            ) from error
        if not self._has_times:
            return EntryKey(sort_key(stored, encoded))
        key, start, *end = stored
        return EntryKey(self.sort_key(key), start, end[0] if end else self._last_ms(start))

    def sort_key(self, key: Any) -> bytes:
        """Return the sort key of a key without its window, session or version."""
        try:
            return sort_key(key)
        except TypeError:
            return sort_key(key, self._key_codec.encode(key) or b"")

    def sort_key_of(self, key: Any) -> bytes:
        """Return the sort key of a key that a query names.

        Raises:
            InvalidQueryError: it is not of the type of the store's keys.
        """
        return self.sort_key(self._checked(key, self._key_codec, self.key_type))

    def sort_prefix_of(self, prefix: Any) -> bytes:
        """Return the bytes with which the sort keys of all keys with a prefix begin.

        Raises:
            InvalidQueryError: the keys of the store have no prefixes, or the prefix does not fit them.
        """
        kind = without_none(self.key_type)
        if kind in (str, bytes):
            return sort_prefix(self._checked(prefix, self._key_codec, kind))
        if kind is Any and isinstance(prefix, str | bytes):
            return sort_prefix(prefix)
        types = list(_part_types(kind, prefix))
        if not types and kind is not Any:
            raise InvalidQueryError(
                f"keys of type {type_name(kind)}, as those of store '{self.spec.name}', have no prefixes; query a range instead"
            )
        if not isinstance(prefix, tuple | list) or len(prefix) > len(types):
            expected = ", ".join(map(type_name, types))
            raise InvalidQueryError(
                f"invalid prefix {prefix!r} for the keys of store '{self.spec.name}'; pass a tuple of the first of: {expected}"
            )
        parts = zip(prefix, types, strict=False)
        return sort_prefix(tuple(self._checked(part, self._codecs.for_state(kind), kind) for part, kind in parts))

    def rows(self, entries: Iterable[StoredEntry]) -> Iterator[tuple[StoreRow, StoredEntry]]:
        """Yield rows and their entries, which are in order; deletions of versioned stores are no rows."""
        if self.spec.kind is not StoreKind.VERSIONED:
            yield from ((self.row(entry), entry) for entry in entries)
            return
        shown = ((self.row(entry), entry) for entry in entries)
        for (row, entry), following in pairwise(chain(shown, (None,))):  # type: ignore[misc] # only the last is None
            if row.value is not None:
                same_key = following and following[1].found_by.sort_key == entry.found_by.sort_key
                yield row._replace(valid_to=following[0].timestamp if same_key else None), entry  # type: ignore[index]

    def row(self, entry: StoredEntry) -> StoreRow:
        """Return one entry as a row, without the end of its version.

        Raises:
            QueryError: it cannot be decoded.
        """
        try:
            return row_of(self.spec, StoreChange(self._decode_key(entry.key), self._decode_value(entry.value)))
        except CodecError as error:
            raise self._undecodable(error) from error

    def changed_row(self, key: bytes, value: bytes | None) -> StoreRow:
        """Return a changed entry as a row, whose value is None if the entry was deleted.

        Raises:
            QueryError: it cannot be decoded.
        """
        try:
            if value is not None:
                return row_of(self.spec, StoreChange(self._decode_key(key), self._decode_value(value)))
            nothing = (None,) if self.spec.kind is StoreKind.VERSIONED else (None, None) if self.spec.timestamped else None
            return row_of(self.spec, StoreChange(self._decode_key(key), nothing))
        except CodecError as error:
            raise self._undecodable(error) from error

    def _last_ms(self, start: int) -> int:
        windows = self.spec.windows
        if self.spec.kind is StoreKind.VERSIONED or windows is None:
            return start
        end = windows.window_at(start).end
        return end if isinstance(windows, SlidingWindows) else end - 1

    def _undecodable(self, error: CodecError) -> QueryError:
        return QueryError(
            f"an entry of store '{self.spec.name}' is not of the types of the flow: {error}; query the flow that wrote it, or "
            "reset the application"
        )

    def _checked(self, value: Any, codec: Codec, kind: Any) -> Any:
        """Return a value in the type that the codec has, such as 5.0 for 5."""
        try:
            encoded = codec.encode(value)
            if encoded is not None:
                return codec.decode(encoded)
        except CodecError:
            pass
        raise InvalidQueryError(
            f"invalid key {value!r} for store '{self.spec.name}': its keys are of type {type_name(self.key_type)}"
            + ("" if kind is self.key_type else f", with a part of type {type_name(kind)} here")
        )


def _part_types(kind: Any, prefix: Any) -> Iterable[Any]:
    """Return the types of the parts of a tuple or the fields of a dataclass; nothing for other types."""
    if kind is Any:
        return [Any] * len(prefix) if isinstance(prefix, tuple | list) else [Any]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return [arguments[0]] * len(prefix) if Ellipsis in arguments and isinstance(prefix, tuple | list) else arguments
    plain = origin or kind
    if not isinstance(plain, type):
        return ()
    names = (
        [field.name for field in dataclasses.fields(plain)] if dataclasses.is_dataclass(plain) else getattr(plain, "_fields", ())
    )
    hints = get_type_hints(plain)
    parameters = dict(zip(getattr(plain, "__parameters__", ()), arguments, strict=False))
    return [parameters.get(hints[name], hints[name]) for name in names]
