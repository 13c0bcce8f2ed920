"""JSON of the forms of types, in which state is kept, by msgspec."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import msgspec

from eddyline.adapters.json.errors import JsonTypeError
from eddyline.adapters.json.limits import MAX_STATE_DEPTH, check_depth
from eddyline.adapters.json.lines import Lines
from eddyline.adapters.json.nulls import present_in, with_nulls
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.forms import Form, NoFormError, form_of, same, shortened
from eddyline.application.topology.types import type_name

_TAG: Final = b'"$'
_FIRST: Final = 100
"""So many values of each class are decoded again when they are encoded."""


class StateJsonCodec(Codec):
    """Values of one type in state: what is encoded comes back as it was, or is an error.

    Values that are JSON as they are, such as dataclasses of text and numbers, are encoded and decoded by msgspec alone.

    Args:
        declared: the type.

    Raises:
        JsonTypeError: state cannot represent the type.
    """

    def __init__(self, declared: Any) -> None:
        self._declared = declared
        try:
            self._form: Form = form_of(declared)
        except NoFormError as error:
            raise JsonTypeError(str(error)) from error
        encoder = msgspec.json.Encoder()
        self._to_json, self._to_lines = encoder.encode, encoder.encode_lines
        self._exact = self._form.exact if self._form.plain else None
        decoder = _plain_decoder(declared) if self._form.plain else None
        self._of_plain = None if decoder is None else decoder.decode
        self._of_lines = None if decoder is None else decoder.decode_lines
        self._of_json = msgspec.json.Decoder().decode
        self._checked: dict[type, int] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return state_codec, (self._declared,)

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        try:
            if self._exact is not None and self._exact(value):
                data = self._to_json(value)
                is_known = len(data) <= MAX_STATE_DEPTH and self._checked.get(type(value), 0) >= _FIRST
                return data if is_known else self._checked_data(value, data)
            return self._checked_data(value, self._to_json(self._form.dump(value)))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self._error(error) from None

    def encode_all(self, values: Sequence[Any]) -> Sequence[bytes | None]:
        if self._exact is None:
            return super().encode_all(values)
        present = present_in(values)
        try:
            if not present or self._checked.get(type(present[0]), 0) < _FIRST or not self._form.exact_all(present):
                return super().encode_all(values)
            lines = self._to_lines(present)
        except (ValueError, TypeError, AttributeError, RecursionError):
            return super().encode_all(values)
        return with_nulls(values, Lines(lines, len(present)))

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        if self._of_plain is not None and _TAG not in data:
            try:
                return self._of_plain(data)
            except (ValueError, TypeError, RecursionError):
                pass
        try:
            return self._form.load(self._of_json(data))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise self._error(error) from None

    def decode_all(self, column: Sequence[bytes | None]) -> Sequence[Any]:
        present = present_in(column)
        lines = b"\n".join(present)
        if self._of_lines is None or _TAG in lines or lines.count(b"\n") != len(present) - 1:
            return super().decode_all(column)
        try:
            found = self._of_lines(lines)
        except (ValueError, TypeError, RecursionError):
            return super().decode_all(column)
        return with_nulls(column, found) if len(found) == len(present) else super().decode_all(column)

    def _checked_data(self, value: Any, data: bytes) -> bytes:
        """Return the data; of the first values of a class, make sure that they come back as they were."""
        if len(data) > MAX_STATE_DEPTH:
            check_depth(data, MAX_STATE_DEPTH)
        count = self._checked.get(type(value), 0)
        if count < _FIRST:
            self._checked[type(value)] = count + 1
            found = self.decode(data)
            if not same(value, found):
                raise CodecError(
                    f"{type_name(self._declared)}: state does not preserve {shortened(value)}, which comes back as "
                    f"{shortened(found)}; declare its types, or keep its parts in a dataclass"
                )
        return data

    def _error(self, error: Exception) -> CodecError:
        if isinstance(error, CodecError):
            return error
        return CodecError(f"{type_name(self._declared)}: {' '.join(str(error).split())}")


@cache
def state_codec(declared: Any) -> StateJsonCodec:
    """Return the codec of a type, which takes more time to create than to use, and can be shared."""
    return StateJsonCodec(declared)


def _plain_decoder(declared: Any) -> msgspec.json.Decoder[Any] | None:
    """Return msgspec's decoder of a type, None if it does not know the type."""
    try:
        return msgspec.json.Decoder(declared)
    except (TypeError, ValueError, NameError):
        return None
