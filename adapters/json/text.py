"""Texts and bytes as they are, without the quotes of JSON, as Kafka's own serializers write them."""

from typing import Any

from eddyline.adapters.json.plain import PlainJsonCodec
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers


class TextCodec(Codec):
    """Texts as UTF-8."""

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        try:
            return str.encode(value)
        except (TypeError, UnicodeEncodeError) as error:
            raise CodecError(f"should be a text, not {type(value).__name__}: {error}") from None

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise CodecError(f"not UTF-8 at byte {error.start}") from None


class OpenKeyCodec(Codec):
    """Keys of a type that is not known: read as texts; texts are written plain, bytes as they are, other keys as JSON."""

    def __init__(self) -> None:
        self._text = TextCodec()
        self._json = PlainJsonCodec()

    def encode(self, value: Any) -> bytes | None:
        if isinstance(value, bytes):
            return value
        return self._text.encode(value) if isinstance(value, str) else self._json.encode(value)

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        return self._text.decode(data)


class RawCodec(Codec):
    """Bytes as they are."""

    def encode(self, value: Any) -> bytes | None:
        if value is None or type(value) is bytes:
            return value
        raise CodecError(f"should be bytes, not {type(value).__name__}")

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        return data
