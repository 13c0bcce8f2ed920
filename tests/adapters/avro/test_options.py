"""The options of Avro are given as properties whose names have dots."""

from decimal import Decimal
from typing import Any

import pytest

from eddyline.adapters.avro.errors import AvroOptionError
from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.registry.serialization_context import SerializationContext
from tests.adapters.avro.models import Trade


def test_every_option_has_a_property() -> None:
    found = AvroOptions.from_properties(
        {
            "namespace": "com.acme",
            "names.Trade": "com.acme.StockTrade",
            "names.a.b": "com.acme.Other",
            "decimal.precision": "12",
            "decimal.scale": 0,
            "timestamps": "millis",
        }
    )
    assert found == AvroOptions(
        namespace="com.acme",
        names={"Trade": "com.acme.StockTrade", "a.b": "com.acme.Other"},
        decimal_precision=12,
        decimal_scale=0,
        timestamps="millis",
    )
    assert (found.decimal_precision, found.decimal_scale) == (12, 0)
    assert type(found.decimal_precision) is type(found.decimal_scale) is int


def test_without_properties_the_options_have_their_defaults() -> None:
    assert AvroOptions.from_properties({}) == AvroOptions()
    assert AvroOptions().full_name("Trade") == "eddyline.Trade"
    assert AvroOptions(names={"Trade": "x.Y"}).full_name("Trade") == "x.Y"


@pytest.mark.parametrize("name", ["scale", "names", "names.", "decimal_", "namespace.x"])
def test_an_unknown_property_is_an_error_with_the_choices(name: str) -> None:
    with pytest.raises(AvroOptionError) as error:
        AvroOptions.from_properties({name: "x"})
    assert str(error.value) == (
        f"unknown option 'avro.{name}'; choose one of: decimal.precision, decimal.scale, namespace, timestamps, names.<class>"
    )


@pytest.mark.parametrize("option", ["decimal.precision", "decimal.scale"])
def test_a_number_must_be_an_integer(option: str) -> None:
    with pytest.raises(AvroOptionError, match=f"{option.replace('.', '_')}: 'many' is not an integer"):
        AvroOptions.from_properties({option: "many"})


@pytest.mark.parametrize(
    ("precision", "scale", "is_valid"), [(1, 0, True), (1, 1, True), (0, 0, False), (1, 2, False), (1, -1, False)]
)
def test_the_scale_of_a_decimal_is_between_0_and_its_precision(precision: int, scale: int, is_valid: bool) -> None:
    given: dict[str, Any] = {"decimal.precision": precision, "decimal.scale": scale}
    if is_valid:
        assert AvroOptions.from_properties(given).decimal_scale == scale
        return
    with pytest.raises(AvroOptionError, match="choose 0 <= scale <= precision and precision >= 1"):
        AvroOptions.from_properties(given)


def test_the_formats_of_all_types_have_the_options() -> None:
    formats = AvroFormats(AvroOptions(namespace="com.acme", decimal_scale=2))
    assert '"namespace":"com.acme"' in formats(SerializationContext("t", "value"), Trade).schema_text
    assert '"scale":2' in formats(SerializationContext("t", "value"), Decimal).schema_text
