"""The errors of Avro schemas and values.

AvroOptionError(ValueError)            an option is invalid
AvroSchemaError(UnsupportedTypeError)  Avro cannot represent a Python type
InvalidSchemaError(ValueError)         a writer's schema cannot be used for decoding
TypeMismatchError(ValueError)          a value or a writer's schema does not match a type; it has the path of the field
"""

from eddyline.adapters.codecs.errors import MismatchError
from eddyline.application.ports.codec import UnsupportedTypeError


class AvroOptionError(ValueError):
    """An option is invalid; the message has its name, its value and the choices."""


class AvroSchemaError(UnsupportedTypeError):
    """Avro cannot represent a Python type; the message has the class and field, the type and the alternatives."""


class InvalidSchemaError(ValueError):
    """A writer's schema cannot be used for decoding; the message has the reason."""


class TypeMismatchError(MismatchError, ValueError):
    """A value or a writer's schema does not match a type."""
