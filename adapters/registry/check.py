"""Looks before a flow starts whether the schemas of its topics and its own types go together."""

from collections.abc import Iterable

from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.errors import IncompatibleSchemasError, NoSchemaError, SchemaRefusedError
from eddyline.adapters.registry.places import Finding


def check(reads: Iterable[RegistryCodec], writes: Iterable[RegistryCodec]) -> tuple[Finding, ...]:
    """Registers the schemas of what is written, and compares what is read with the newest schema of its subject.

    Returns a finding a codec, those of `reads` first. Raises IncompatibleSchemasError, with every problem, when there is one;
    RegistryUnavailableError when the registry does not answer.
    """
    findings = [_reading(codec) for codec in reads] + [_writing(codec) for codec in writes]
    if any(finding.problem is not None for finding in findings):
        raise IncompatibleSchemasError(findings)
    return tuple(findings)


def _reading(codec: RegistryCodec) -> Finding:
    try:
        subject = codec.subject
    except NoSchemaError as error:
        return Finding(codec.place, None, None, str(error))
    gaps = codec.gaps_to_latest()
    problem = f"the newest schema of {subject} cannot be read as ours: {'; '.join(gaps)}" if gaps else None
    return Finding(codec.place, subject, None, problem)


def _writing(codec: RegistryCodec) -> Finding:
    subject = None
    try:
        subject = codec.subject
        return Finding(codec.place, subject, codec.register())
    except (NoSchemaError, SchemaRefusedError) as error:
        return Finding(codec.place, subject, None, str(error))
