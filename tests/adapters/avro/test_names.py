import json
import pickle
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

import pytest
from pydantic import AliasChoices, Field

from eddyline.adapters.avro.errors import AvroSchemaError
from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.avro.names import is_full_name, is_name, simple_name
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.schema import schema_for
from eddyline.application.topology.types import Names
from tests.adapters.avro.models import Node, Side
from tests.adapters.avro.test_schema_resolution import encoded, record


@pytest.mark.parametrize(
    ("name", "name_is_valid", "full_name_is_valid"),
    [
        ("Trade", True, True),
        ("com.acme.Trade", False, True),
        ("1x", False, False),
        ("Größe", False, False),
        ("a..b", False, False),
    ],
)
def test_names_consist_of_ascii_letters_digits_and_underscores(name: str, name_is_valid: bool, full_name_is_valid: bool) -> None:
    assert (is_name(name), is_full_name(name)) == (name_is_valid, full_name_is_valid)


def test_the_simple_name_has_no_namespace() -> None:
    assert (simple_name("com.acme.Trade"), simple_name("Trade")) == ("Trade", "Trade")


def test_a_name_without_a_namespace_is_that_of_the_record() -> None:
    schema = schema_for(Node, AvroOptions(names={"Node": "Inside"}))
    assert (schema["name"], "namespace" in schema) == ("Inside", False)


class _OtherSide:
    class Side(Enum):
        LEFT = 1


@dataclass
class SameEnumName:
    one: Side
    two: "_OtherSide.Side"


def test_two_enums_of_the_same_name_are_an_error() -> None:
    message = r"models\.Side' and '.*\._OtherSide\.Side' have the same name 'eddyline\.Side' in Avro"
    with pytest.raises(AvroSchemaError, match=message):
        schema_for(SameEnumName)


@dataclass(frozen=True)
class Customer:
    customer_id: int
    firstName: str = ""  # noqa: N815 - a name as Java writes it
    home_city: Annotated[str, Field(alias="city", validation_alias=AliasChoices("town", "city"))] = ""
    tax_code: str = field(default="", metadata={"alias": "TaxCode"})
    secret: Annotated[str, Field(exclude=True)] = ""


def written(names: Names) -> list[str]:
    return [each["name"] for each in schema_for(Customer, names=names)["fields"]]


def test_fields_are_called_as_declared_or_in_camel_case_or_by_their_alias() -> None:
    assert written("as-declared") == ["customer_id", "firstName", "city", "TaxCode"]
    assert written("camelCase") == ["customerId", "firstName", "city", "TaxCode"]


@pytest.mark.parametrize("names", ["as-declared", "camelCase"])
@pytest.mark.parametrize(
    "written",
    [
        ["customer_id", "first_name", "home_city", "tax_code", "secret"],
        ["customerId", "firstName", "homeCity", "taxCode", "secret"],
        ["customer_id", "firstName", "city", "TaxCode", "secret"],
        ["customer_id", "firstName", "town", "TaxCode", "secret"],
    ],
    ids=lambda names: names[2],
)
def test_every_spelling_is_read(names: Names, written: list[str]) -> None:
    types = ["long", "string", "string", "string", "string"]
    schema = record("Customer", **dict(zip(written, types, strict=True)))
    data = encoded(schema, dict(zip(written, [7, "Ada", "Oslo", "x", "y"], strict=True)))
    avro = AvroFormat(Customer, names=names)
    assert avro.decoder(json.dumps(schema))(data, 0) == Customer(7, "Ada", "Oslo", "x", "y")
    assert (avro.incompatibilities(json.dumps(schema)), avro.unmatched_fields(json.dumps(schema))) == ((), ())
    customer = Customer(7, "Ada", "Oslo", "x")
    assert avro.decoder(avro.schema_text)(avro.encode(customer, b""), 0) == customer
    assert pickle.loads(pickle.dumps(avro)).schema_text == avro.schema_text


def test_fields_that_the_writer_does_not_have_are_found_with_their_paths() -> None:
    inner = record("Customer", customer_id="long", first="string")
    schema = json.dumps(record("Order", buyer=inner))
    assert AvroFormat(Order).unmatched_fields(schema) == (
        "buyer.firstName",
        "buyer.city",
        "buyer.TaxCode",
        "buyer.secret",
        "order_note",
    )


def test_fields_in_the_other_spelling_are_found() -> None:
    theirs = AvroFormat(Order, names="camelCase").schema_text
    assert AvroFormat(Order).respelled_fields(theirs) == (("customerId", "customer_id"), ("orderNote", "order_note"))
    assert AvroFormat(Order, names="camelCase").respelled_fields(theirs) == ()


def test_two_fields_with_the_same_name_and_a_name_that_avro_does_not_allow_are_errors() -> None:
    with pytest.raises(AvroSchemaError, match="fields 'min_price' and 'minPrice' of 'SameName' are both written as 'minPrice'"):
        schema_for(SameName, names="camelCase")
    with pytest.raises(AvroSchemaError, match=r"WrongName\.total: 'to-tal' is not a valid Avro name"):
        schema_for(WrongName)


@dataclass(frozen=True)
class Order:
    buyer: Customer
    order_note: str = ""


@dataclass(frozen=True)
class SameName:
    min_price: int
    minPrice: int  # noqa: N815 - the other spelling


@dataclass(frozen=True)
class WrongName:
    total: int = field(metadata={"alias": "to-tal"})
