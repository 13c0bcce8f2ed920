"""The errors of the schema registry, and what they mean for a record.

RegistrySettingError(ValueError)                a setting is invalid
SubjectNameError(UnsupportedTypeError)          the subject name strategy needs a record name, and the schema has none
CodecError                                      the record is invalid
    UnknownSchemaError                          the registry does not have the schema
        InvalidAnswerError                      the registry has something else in its place
CodecUnavailableError                           no record is invalid
    RegistryUnavailableError                    the registry does not answer, or denies access
    SchemaRefusedError                          the registry refuses to register the schema
    IncompatibleSchemasError                    registered schemas are incompatible with the types of a flow (compatibility.py)
"""

from eddyline.application.ports.codec import CodecError, CodecUnavailableError, UnsupportedTypeError


class RegistrySettingError(ValueError):
    """A setting of the schema registry is invalid; the message has the name and the choices, but never a secret value."""


class SubjectNameError(UnsupportedTypeError):
    """The subject name strategy needs a record name, and the schema has none; the message names the setting to change."""


class UnknownSchemaError(CodecError):
    """The registry does not have the schema that a record refers to."""


class InvalidAnswerError(UnknownSchemaError):
    """The registry has something that is no schema in the place of one; the message has the reason."""


class RegistryUnavailableError(CodecUnavailableError):
    """The registry did not answer any of the retries, or denies access."""


class SchemaRefusedError(CodecUnavailableError):
    """The registry refuses to register the schema; the message has its reason."""
