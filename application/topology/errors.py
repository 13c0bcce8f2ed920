"""The error of an invalid topology. Every message has the operator, the invalid value, the valid choices and the fix."""

from collections.abc import Iterable
from difflib import get_close_matches


class TopologyError(ValueError):
    """A topology is invalid, found while it is built."""


def listed(names: Iterable[str]) -> str:
    """Return the names for an error message, separated by commas, or `none`."""
    return ", ".join(names) or "none"


def suggested(name: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """Return the end of an error message about an unknown name: the known name that is most similar.

    If none is similar, return `otherwise`, by default the list of all known names.
    """
    names = list(known)
    lower = {known_name.lower(): known_name for known_name in names}
    near = get_close_matches(name, names, n=1) or [lower[match] for match in get_close_matches(name.lower(), lower, n=1)]
    if near:
        return f"did you mean '{near[0]}'?"
    return f"choose one of: {listed(names)}" if otherwise is None else otherwise
