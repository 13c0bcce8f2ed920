"""The errors of Protobuf schemas and values."""

from eddyline.adapters.codecs.errors import MismatchError
from eddyline.application.ports.codec import CodecError, UnsupportedTypeError


class ProtobufTypeError(UnsupportedTypeError):
    """Protobuf cannot represent a Python type; the message has the class and field, the type and the alternatives."""


class ProtobufValueError(MismatchError, CodecError):
    """A value does not match a type."""
