"""Options for the mapping of Python types to Avro types."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from eddyline.adapters.avro.errors import AvroOptionError
from eddyline.adapters.avro.names import is_full_name

TimestampUnit: TypeAlias = Literal["millis", "micros"]

_UNITS = ("millis", "micros")


@dataclass(frozen=True)
class AvroOptions:
    """The options for the mapping of Python types to Avro types.

    Args:
        namespace: the namespace of records and enums.
        names: full names for some classes, as in `{"Trade": "com.acme.StockTrade"}`.
        decimal_precision: the number of digits of a Decimal.
        decimal_scale: the number of these digits after the decimal point.
        timestamps: whether a datetime is written in milliseconds or microseconds since the epoch.

    Raises:
        AvroOptionError: a value is invalid.
    """

    namespace: str = "eddyline"
    names: Mapping[str, str] = field(default_factory=dict)
    decimal_precision: int = 38
    decimal_scale: int = 9
    timestamps: TimestampUnit = "micros"

    def __post_init__(self) -> None:
        for option, name in (("namespace", self.namespace), *(("names", name) for name in self.names.values())):
            if not is_full_name(name):
                raise AvroOptionError(
                    f"{option}: '{name}' is not a valid Avro name; use ASCII letters, digits and _, with dots between the parts"
                )
        if self.timestamps not in _UNITS:
            raise AvroOptionError(f"timestamps: unknown unit '{self.timestamps}'; choose one of: {', '.join(_UNITS)}")
        if not 0 <= self.decimal_scale <= self.decimal_precision or self.decimal_precision < 1:
            raise AvroOptionError(
                f"decimal_scale '{self.decimal_scale}' is not valid with decimal_precision '{self.decimal_precision}'; "
                "choose 0 <= scale <= precision and precision >= 1"
            )

    @classmethod
    def from_properties(cls, properties: Mapping[str, Any]) -> "AvroOptions":
        """Return the options from properties, which have dots in their names instead of underscores.

        `names.<class>` is the full name of one class.

        Raises:
            AvroOptionError: a name is unknown, or a value is invalid.
        """
        given: dict[str, Any] = {}
        for name, value in properties.items():
            table, _, class_name = name.partition(".")
            if table == "names" and class_name:
                given.setdefault(table, {})[class_name] = str(value)
            elif name.replace(".", "_") in cls.__dataclass_fields__ and name != "names":
                given[name.replace(".", "_")] = value
            else:
                choices = ", ".join(sorted(field.replace("_", ".") for field in cls.__dataclass_fields__ if field != "names"))
                raise AvroOptionError(f"unknown option 'avro.{name}'; choose one of: {choices}, names.<class>")
        for name in ("decimal_precision", "decimal_scale"):
            if name in given:
                given[name] = _integer(name, given[name])
        return cls(**given)

    def full_name(self, class_name: str) -> str:
        """Return the full Avro name of a class."""
        return self.names.get(class_name, f"{self.namespace}.{class_name}")


def _integer(option: str, value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise AvroOptionError(f"{option}: '{value}' is not an integer") from None
