"""What a user may choose about the Avro form of Python types."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

TimestampUnit: TypeAlias = Literal["millis", "micros"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", re.ASCII)
_UNITS = ("millis", "micros")


class AvroOptionError(ValueError):
    """An option of the Avro codec cannot be used; the message names the option, its value and what it may be."""


@dataclass(frozen=True)
class AvroOptions:
    """How Python types become Avro schemas.

    `namespace` stands before the names of records and enums; `names` gives single classes another full name
    (`{"Trade": "com.acme.StockTrade"}`). A Decimal is written with `decimal_precision` digits, `decimal_scale` of them after
    the point; a datetime counts milli- or microseconds since the epoch. Raises AvroOptionError.
    """

    namespace: str = "eddyline"
    names: Mapping[str, str] = field(default_factory=dict)
    decimal_precision: int = 38
    decimal_scale: int = 9
    timestamps: TimestampUnit = "micros"

    def __post_init__(self) -> None:
        for option, name in (("namespace", self.namespace), *(("names", name) for name in self.names.values())):
            if not _NAME.fullmatch(name):
                raise AvroOptionError(
                    f"{option}: {name!r} is no Avro name; it is made of letters, digits and _, in parts joined by dots"
                )
        if self.timestamps not in _UNITS:
            raise AvroOptionError(f"timestamps: {self.timestamps!r} is unknown; choose one of {', '.join(_UNITS)}")
        if not 0 <= self.decimal_scale <= self.decimal_precision or self.decimal_precision < 1:
            raise AvroOptionError(
                f"decimal_scale {self.decimal_scale} and decimal_precision {self.decimal_precision} do not fit; "
                "0 <= scale <= precision and precision >= 1"
            )

    @classmethod
    def from_properties(cls, properties: Mapping[str, Any]) -> "AvroOptions":
        """The options in `properties`, by their names with dots for underscores; `names.<class>` is one class's full name.

        Raises AvroOptionError, for an unknown name too.
        """
        given: dict[str, Any] = {}
        for name, value in properties.items():
            table, _, inner = name.partition(".")
            if table == "names" and inner:
                given.setdefault(table, {})[inner] = str(value)
            elif name.replace(".", "_") in cls.__dataclass_fields__ and name != "names":
                given[name.replace(".", "_")] = value
            else:
                choices = ", ".join(sorted(field.replace("_", ".") for field in cls.__dataclass_fields__ if field != "names"))
                raise AvroOptionError(f"avro.{name} is unknown; there are: {choices}, names.<class>")
        for name in ("decimal_precision", "decimal_scale"):
            if name in given:
                given[name] = _whole(name, given[name])
        return cls(**given)

    def full_name(self, class_name: str) -> str:
        """The full Avro name of the class with this name."""
        return self.names.get(class_name, f"{self.namespace}.{class_name}")


def _whole(option: str, value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise AvroOptionError(f"{option}: {value!r} is no whole number") from None
