"""Checks before a flow starts whether the registered schemas of its topics are compatible with its types."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.errors import SchemaRefusedError, SubjectNameError
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.application.ports.codec import CodecError, CodecUnavailableError, UnsupportedTypeError

LOGGER: Final = logging.getLogger("eddyline.registry")


@dataclass(frozen=True)
class CheckResult:
    """The result for a topic's keys or values; `problem` is None if there is none, `schema_id` if nothing was registered."""

    context: SerializationContext
    subject: str | None
    schema_id: int | None
    problem: str | None = None


class IncompatibleSchemasError(CodecUnavailableError):
    """Registered schemas are incompatible with the types of a flow.

    `results` has the results of all topics; the message has a line for each with a problem.
    """

    def __init__(self, results: Sequence[CheckResult]) -> None:
        self.results = tuple(results)
        super().__init__("\n".join(f"{result.context}: {result.problem}" for result in results if result.problem is not None))


def check_compatibility(reads: Iterable[RegistryCodec], writes: Iterable[RegistryCodec]) -> tuple[CheckResult, ...]:
    """Register the schemas of the topics to write, and compare the latest schemas of the topics to read with the flow's types.

    A latest schema that is invalid is logged and no problem: records of earlier schemas can be read, and its own become dead
    letters.

    Returns:
        A result for each codec, those of `reads` first.

    Raises:
        IncompatibleSchemasError: there are problems; it has the results of all codecs.
        RegistryUnavailableError: the registry does not answer.
    """
    results = [_check_read(codec) for codec in reads] + [_register(codec) for codec in writes]
    if any(result.problem is not None for result in results):
        raise IncompatibleSchemasError(results)
    return tuple(results)


def _check_read(codec: RegistryCodec) -> CheckResult:
    subject = None
    try:
        subject = codec.subject
        reasons = codec.incompatibilities_with_latest()
    except SubjectNameError as error:
        return CheckResult(codec.context, subject, None, str(error))
    except CodecError as error:
        LOGGER.warning(
            "%s: records with the latest schema of subject '%s' become dead letters: %s", codec.context, subject, error
        )
        return CheckResult(codec.context, subject, None)
    unmatched = codec.unmatched_fields()
    if unmatched and not reasons:
        LOGGER.warning(
            "%s: the latest schema of subject '%s' has no field for %s; they take their defaults",
            codec.context,
            subject,
            ", ".join(map(repr, unmatched)),
        )
    problem = f"the latest schema of subject '{subject}' is incompatible with the type of the flow: {'; '.join(reasons)}"
    return CheckResult(codec.context, subject, None, problem if reasons else None)


def _register(codec: RegistryCodec) -> CheckResult:
    subject = None
    try:
        subject = codec.subject
        respelled = _respelled(codec)
        if respelled:
            return CheckResult(codec.context, subject, None, f"subject '{subject}' has {respelled}")
        return CheckResult(codec.context, subject, codec.register_schema())
    except (SubjectNameError, SchemaRefusedError, UnsupportedTypeError) as error:
        return CheckResult(codec.context, subject, None, str(error))


def _respelled(codec: RegistryCodec) -> str:
    try:
        pairs = codec.respelled_fields()
    except CodecError:
        return ""  # the registry decides about an invalid schema
    if not pairs:
        return ""
    fields = ", ".join(f"'{there}' where the flow would write '{here}'" for there, here in pairs)
    return f"{fields}, so that its readers would miss the field; choose names.{codec.context.topic}, or give the field an alias"
