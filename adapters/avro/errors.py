"""The errors of Avro schemas and values.

AvroOptionError(ValueError)            an option is invalid
AvroSchemaError(UnsupportedTypeError)  Avro cannot represent a Python type
InvalidSchemaError(ValueError)         a writer's schema cannot be used for decoding
TypeMismatchError(ValueError)          a value or a writer's schema does not match a type; it has the path of the field
"""

from eddyline.application.ports.codec import UnsupportedTypeError


class AvroOptionError(ValueError):
    """An option is invalid; the message has its name, its value and the choices."""


class AvroSchemaError(UnsupportedTypeError):
    """Avro cannot represent a Python type; the message has the class and field, the type and the alternatives."""


class InvalidSchemaError(ValueError):
    """A writer's schema cannot be used for decoding; the message has the reason."""


class TypeMismatchError(ValueError):
    """A value or a writer's schema does not match a type.

    Args:
        reason: what is expected and what was found.
        path: the path of the field, as in `.legs[3].price`.
    """

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path.lstrip('.')}: {reason}" if path else reason)
        self.reason = reason
        self.path = path

    def within(self, parent: str) -> "TypeMismatchError":
        """Return this error with the path of a parent before its own path."""
        return TypeMismatchError(self.reason, parent + self.path)
