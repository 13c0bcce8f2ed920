"""How single data become Python values: numbers, text, logical types."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from typing import Any, TypeAlias
from uuid import UUID

from eddyline.adapters.avro.misfit import MisfitError
from eddyline.adapters.avro.shapes import Choice, Logical, Primitive
from eddyline.adapters.avro.writer_schema import NAMED, type_of

Step: TypeAlias = Callable[[Any], Any] | None
"""What is done with a datum; None where it stays as it is."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_DAY = timedelta(days=1)
_MOST_DECIMAL_BYTES = 4_000
_EXACT = Context(prec=3 * _MOST_DECIMAL_BYTES)
_UUID_BYTES = 16


def simple_name(schema: Any) -> str:
    """The name of a named schema without its namespace."""
    return str(schema["name"]).rpartition(".")[2]


def mismatch(schema: Any, expected: str) -> str:
    """What to say of a schema that is not the expected one."""
    kind = type_of(schema)
    logical = f" ({schema['logicalType']})" if isinstance(schema, dict) and "logicalType" in schema else ""
    named = f" {schema['name']}" if kind in NAMED else ""
    return f"expected {expected}, but the writer has {kind}{named}{logical}"


def choice(shape: Choice, step: Step) -> Step:
    """`step`, and the check that its result is one of the choices."""
    allowed = frozenset(shape.values)

    def convert(datum: Any) -> Any:
        value = datum if step is None else step(datum)
        if value not in allowed:
            raise MisfitError(f"{value!r} is not one of {', '.join(map(repr, shape.values))}")
        return value

    return convert


_PRIMITIVE_STEPS: dict[str, dict[str, Step]] = {
    "null": {"null": None},
    "boolean": {"boolean": None},
    "long": {"int": None, "long": None},
    "double": {"double": None, "float": None, "long": float, "int": float},
    "string": {"string": None, "bytes": bytes.decode, "enum": None},
    "bytes": {"bytes": None, "string": str.encode, "fixed": None},
}


def primitive(shape: Primitive, schema: Any, place: str) -> Step:
    """A primitive from the types that widen to it. Raises MisfitError for another."""
    steps = _PRIMITIVE_STEPS[shape.avro]
    kind = type_of(schema)
    if kind not in steps:
        raise MisfitError(mismatch(schema, shape.avro), place)
    return steps[kind]


def logical(shape: Logical, schema: Any, place: str) -> Step:
    """A Decimal, a UUID, a date or a time from the logical types of the same meaning. Raises MisfitError for another."""
    kind = type_of(schema)
    meaning = schema.get("logicalType") if isinstance(schema, dict) else None
    if shape.python is Decimal and meaning == "decimal":
        return _scaled(schema.get("scale", 0))
    if shape.python is UUID and kind == "string":
        return UUID
    if shape.python is UUID and kind == "fixed" and schema["size"] == _UUID_BYTES:
        return lambda datum: UUID(bytes=datum)
    step = _LOGICAL_STEPS.get((shape.python, meaning))
    if step is None:
        raise MisfitError(mismatch(schema, f"{shape.avro} ({shape.properties['logicalType']})"), place)
    return step


def natural(schema: Any) -> Step:
    """A single value of the class that suits its type best."""
    meaning = schema.get("logicalType") if isinstance(schema, dict) else None
    if meaning == "decimal":
        return _scaled(schema.get("scale", 0))
    if meaning == "uuid":
        return UUID if type_of(schema) == "string" else lambda datum: UUID(bytes=datum)
    return next((step for (_, known), step in _LOGICAL_STEPS.items() if known == meaning), None)


def _scaled(scale: int) -> Callable[[bytes], Decimal]:
    def convert(datum: bytes) -> Decimal:
        if len(datum) > _MOST_DECIMAL_BYTES:
            raise MisfitError(f"a decimal of {len(datum)} bytes is longer than the {_MOST_DECIMAL_BYTES} that are read")
        return Decimal(int.from_bytes(datum, "big", signed=True)).scaleb(-scale, _EXACT)

    return convert


def _time(micros: int) -> time:
    span = timedelta(microseconds=micros)
    if not timedelta(0) <= span < _DAY:
        raise MisfitError(f"{micros} microseconds are no time of a day")
    return (_EPOCH + span).time()


_LOGICAL_STEPS: dict[tuple[type, str | None], Callable[[Any], Any]] = {
    (datetime, "timestamp-millis"): lambda datum: _EPOCH + timedelta(milliseconds=datum),
    (datetime, "timestamp-micros"): lambda datum: _EPOCH + timedelta(microseconds=datum),
    (date, "date"): lambda datum: date.fromordinal(datum + _EPOCH_DAY),
    (time, "time-millis"): lambda datum: _time(datum * 1_000),
    (time, "time-micros"): _time,
}
