"""The conformance suites of ports, for adapters of your own. They need neither pytest nor another library.

Subclass the suite of the port in a module of tests, and pytest runs its methods:

    class TestCsvCodec(CodecConformance):
        values = (Order("a", 1), Order("", 0))
        invalid = b"no comma"

        def codec(self) -> Codec:
            return CsvCodecs().for_value("orders", Order)
"""

import pickle
from collections.abc import Iterable, Sequence
from typing import Any

from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers

__all__ = ["CodecConformance"]

_OTHER_HEADERS: Headers = (("trace", b"1"), ("none", None))


class CodecConformance:
    """The contract of codecs. A class that breaks it loses records, ends runs, or makes them differ from their tests.

    Attributes:
        values: Values that the codec supports: the smallest, the largest, the empty ones, and the usual.
        invalid: Bytes that the codec cannot decode; None if it decodes any bytes.
        unsupported: A value that the codec does not support.
    """

    values: Sequence[Any] = ()
    invalid: bytes | None = None
    unsupported: Any = object()

    def codec(self) -> Codec:
        """Return the codec, a new one at each call."""
        raise NotImplementedError(f"{type(self).__name__} needs a method 'codec' that returns the codec")

    def test_there_are_values(self) -> None:
        """Without values, most of the suite would test nothing."""
        _require(bool(self.values), f"{type(self).__name__} needs 'values' that the codec supports")

    def test_every_value_is_decoded_as_it_was_encoded(self) -> None:
        """State, repartition topics and replays rely on it; another type would fail in the flow."""
        for value in self.values:
            self.check_round_trip(value)

    def test_none_is_encoded_and_decoded_as_none(self) -> None:
        """None is a tombstone, and a record without a key."""
        encoded, decoded = self.codec().encode(None), self.codec().decode(None)
        _require(encoded is None, f"None is encoded as {encoded!r}; return None")
        _require(decoded is None, f"None is decoded as {decoded!r}; return None")

    def test_other_headers_are_ignored(self) -> None:
        """Headers belong to the user, except those that `headers_read` names."""
        for value in self.values:
            self.check_other_headers(value)

    def test_many_values_are_encoded_and_decoded_as_single_ones(self) -> None:
        """Runs use `encode_all` and `decode_all` where they have many records at once."""
        self.check_columns(self.values)

    def test_invalid_bytes_are_an_error(self) -> None:
        """A CodecError makes a dead letter of the record; any other exception ends the run."""
        if self.invalid is not None:
            _require_error("decode", self.codec().decode, self.invalid)

    def test_arbitrary_bytes_are_a_value_or_an_error(self) -> None:
        """Any program can write to a topic."""
        encoded = [data for data in map(self.codec().encode, self.values) if data is not None]
        changed = [other for data in encoded for other in (data[:-1], data + b"\x00")]
        for data in (b"", b"\x00", b"\xff", b"\xff" * 9, b"{", *changed):
            self.check_arbitrary_bytes(data)

    def test_an_unsupported_value_is_an_error(self) -> None:
        """A CodecError is for the production exception handler; any other exception ends the run."""
        _require_error("encode", self.codec().encode, self.unsupported)

    def test_a_pickled_codec_encodes_the_same(self) -> None:
        """Spark sends codecs to its workers."""
        for value in self.values:
            self.check_pickled(value)

    def check_round_trip(self, value: Any) -> None:
        """Check that a value is encoded as bytes and decoded as the same value of the same type."""
        codec = self.codec()
        encoded = codec.encode(value)
        _require(type(encoded) is bytes, f"{value!r} is encoded as {encoded!r}; return bytes")
        decoded = codec.decode(encoded)
        _require(decoded == value, f"{value!r} is decoded as {decoded!r}")
        _require(type(decoded) is type(value), f"{value!r} is decoded as a value of type {type(decoded).__name__}: {decoded!r}")

    def check_other_headers(self, value: Any) -> None:
        """Check that headers which the codec does not read change nothing."""
        codec = self.codec()
        _require("trace" not in codec.headers_read, "'headers_read' must name the headers of the codec alone")
        decoded = codec.decode(codec.encode(value), _OTHER_HEADERS)
        _require(decoded == value, f"with other headers, {value!r} is decoded as {decoded!r}")

    def check_columns(self, values: Iterable[Any]) -> None:
        """Check that many values are encoded and decoded as each by itself."""
        codec, column = self.codec(), [*values, None]
        single = [codec.encode(value) for value in column]
        many = list(codec.encode_all(column))
        _require(many == single, f"encode_all returns {many!r}, and encode {single!r}")
        decoded, expected = list(codec.decode_all(single)), [codec.decode(data) for data in single]
        _require(decoded == expected, f"decode_all returns {decoded!r}, and decode {expected!r}")

    def check_arbitrary_bytes(self, data: bytes) -> None:
        """Check that bytes are refused with a CodecError, or decoded as a value that is encoded and decoded alike."""
        codec = self.codec()
        try:
            decoded = codec.decode(data)
        except CodecError:
            return
        except Exception as error:
            raise AssertionError(f"decode raises {type(error).__name__} for {data!r}; raise CodecError: {error}") from error
        again = codec.decode(codec.encode(decoded))
        _require(repr(again) == repr(decoded), f"{data!r} is decoded as {decoded!r}, which is encoded and decoded as {again!r}")

    def check_pickled(self, value: Any) -> None:
        """Check that a codec that was pickled encodes a value as before."""
        codec = self.codec()
        encoded = pickle.loads(pickle.dumps(codec)).encode(value)  # noqa: S301 - just written
        _require(encoded == codec.encode(value), f"the pickled codec encodes {value!r} as {encoded!r}")


def _require(condition: bool, message: str) -> None:  # noqa: FBT001 - what is required
    if not condition:
        raise AssertionError(message)


def _require_error(method: str, call: Any, argument: Any) -> None:
    try:
        result = call(argument)
    except CodecError as error:
        _require(len(str(error).splitlines()) == 1, f"{method} raises a CodecError whose message is not one line: {str(error)!r}")
        return
    except Exception as error:
        raise AssertionError(f"{method} raises {type(error).__name__} for {argument!r}; raise CodecError: {error}") from error
    raise AssertionError(f"{method} accepts {argument!r} and returns {result!r}; raise CodecError")
