"""The errors of Protobuf schemas and values."""

from eddyline.application.ports.codec import CodecError, UnsupportedTypeError


class ProtobufTypeError(UnsupportedTypeError):
    """Protobuf cannot represent a Python type; the message has the class and field, the type and the alternatives."""


class ProtobufValueError(CodecError):
    """A value does not match a type.

    Args:
        reason: what is expected and what was found.
        path: the path of the field, as in `.legs[3].price`.
    """

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path.lstrip('.')}: {reason}" if path else reason)
        self.reason = reason
        self.path = path

    def within(self, parent: str) -> "ProtobufValueError":
        """Return this error with the path of a parent before its own path."""
        return ProtobufValueError(self.reason, parent + self.path)
