"""The wording of errors about values that a codec cannot encode."""

from eddyline.application.topology.types import type_name

_MAX_SHOWN = 60


def in_one_line(error: BaseException) -> str:
    """Return the class and the message of an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def expected_found(expected: str, value: object) -> str:
    """Return "expected int, found str '5'"."""
    return f"expected {expected}, found {described(value)}"


def described(value: object) -> str:
    """Return the type of a value and its shortened repr, such as "str 'dear'", or the repr alone where it names the type."""
    name = type_name(type(value))
    shown = shortened(value)
    names_its_type = shown.partition("(")[0].rpartition(".")[2] == name or shown.startswith(f"<{name}")
    return shown if value is None or names_its_type else f"{name} {shown}"


def shortened(value: object) -> str:
    """Return the repr of a value, at most 60 characters of it."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print an int of more than 4,300 digits
        return f"<{type_name(type(value))}>"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
