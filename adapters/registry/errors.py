"""What can go wrong with the registry, and what it means for a record.

RegistrySettingError(ValueError)                a setting cannot be used
NoSchemaError(TypeError)                        our schema has no name where its subject needs one
CodecError
    UnknownSchemaError                          the registry answers and does not have the schema: the record is wrong
CodecUnavailableError                           no record is wrong
    RegistryUnavailableError                    the registry does not answer, or refuses to talk to us
    SchemaRefusedError                          the registry does not take our schema
    IncompatibleSchemasError                    schemas of a flow's topics do not go with its types
"""

from collections.abc import Sequence

from eddyline.adapters.registry.places import Finding
from eddyline.application.ports.codec import CodecError, CodecUnavailableError


class RegistrySettingError(ValueError):
    """A setting of the registry cannot be used; the message names it and the choices, never its value where that is secret."""


class NoSchemaError(TypeError):
    """Our schema has no name of its own, and the subject name strategy needs one; the message has the cure."""


class UnknownSchemaError(CodecError):
    """The registry answers, and does not have this schema."""


class RegistryUnavailableError(CodecUnavailableError):
    """The registry did not answer after all retries, or refuses to talk to us."""


class SchemaRefusedError(CodecUnavailableError):
    """The registry does not take our schema, for the reason in the message; no record is wrong."""


class IncompatibleSchemasError(CodecUnavailableError):
    """Some topics' schemas do not go with the flow's types; `findings` has every topic, the message those that do not fit."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(f"{finding.place}: {finding.problem}" for finding in findings if finding.problem is not None))
