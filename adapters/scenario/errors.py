"""What can be wrong with a table."""

from collections.abc import Iterable

from eddyline.application.topology.errors import listed


class TextTableError(ValueError):
    """A table does not fit the topology; the message names the topic or store, the offending part, and what would fit."""


def no_field(kind: str, name: str, fields: Iterable[str]) -> TextTableError:
    """Return the error for a header that names a field which values of this type do not have."""
    known = listed(fields)
    if known == "none":
        return TextTableError(f"{kind} has no fields, so none is called '{name}'; map the header: columns={{'{name}': 'value'}}")
    return TextTableError(f"{kind} has no field '{name}'; it has: {known}")
