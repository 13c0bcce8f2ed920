"""Keys whose type is unknown."""

from typing import Any

from eddyline.adapters.json.untyped import UntypedJsonCodec
from eddyline.adapters.primitive.codec import StringCodec
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.types import Names


class UntypedKeyCodec(Codec):
    """Keys of unknown type: strings and bytes are written as they are, all others as JSON; keys are decoded as strings."""

    def __init__(self, names: Names = "as-declared") -> None:
        self._string = StringCodec()
        self._json = UntypedJsonCodec(names=names)

    def encode(self, value: Any) -> bytes | None:
        if isinstance(value, bytes):
            return value
        return self._string.encode(value) if isinstance(value, str) else self._json.encode(value)

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        return self._string.decode(data)
