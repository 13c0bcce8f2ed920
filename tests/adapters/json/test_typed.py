from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.errors import JsonTypeError
from eddyline.application.ports.codec import Codec, CodecError


@dataclass(frozen=True)
class Line:
    unit_price: float
    item_count: int = 1


@dataclass(frozen=True)
class Order:
    order_id: str
    order_lines: list[Line] = field(default_factory=list)
    best_line: Line | None = None


@dataclass(frozen=True)
class Opened:
    kind: Literal["opened"]
    by: str


@dataclass(frozen=True)
class Closed:
    kind: Literal["closed"]
    by: str


@dataclass(frozen=True)
class Age:
    years: int

    def __post_init__(self) -> None:
        if self.years < 0:
            raise ValueError("an age is not negative")


ORDER = Order("o1", [Line(1.5, 2)], Line(2.0))
WRITTEN = b'{"orderId":"o1","orderLines":[{"unitPrice":1.5,"itemCount":2}],"bestLine":{"unitPrice":2.0,"itemCount":1}}'


CODECS = JsonCodecs(choices=TypeChoices({"names": "camelCase"}))
LAX = JsonCodecs(choices=TypeChoices({"names": "camelCase", "types": "lax"}))


Json = dict[str, "Json"] | list["Json"] | str


@dataclass
class Tree:
    content: Json


def decode(found: Any, data: bytes) -> Any:
    return CODECS.for_value("orders", found).decode(data)


def encode(found: Any, value: Any) -> bytes | None:
    return CODECS.for_value("orders", found).encode(value)


def test_field_names_are_camel_case_at_every_level() -> None:
    assert encode(Order, ORDER) == WRITTEN
    assert decode(Order, WRITTEN) == ORDER


def test_snake_case_names_are_accepted() -> None:
    assert (
        decode(Order, b'{"order_id":"o1","order_lines":[{"unit_price":1.5,"itemCount":2}],"bestLine":{"unit_price":2}}') == ORDER
    )


def test_a_domain_class_does_not_depend_on_its_codec() -> None:
    decode(Order, WRITTEN)
    assert not [name for name in vars(Order) if "pydantic" in name]


def test_missing_fields_have_their_defaults_and_unknown_fields_are_ignored() -> None:
    assert decode(Order, b'{"orderId":"o1","addedLater":true}') == Order("o1")


def test_a_literal_field_distinguishes_the_types_of_a_union() -> None:
    assert decode(Opened | Closed, b'{"kind":"closed","by":"ann"}') == Closed("closed", "ann")
    assert encode(Opened | Closed, Closed("closed", "ann")) == b'{"kind":"closed","by":"ann"}'


def test_json_null_is_decoded_as_none() -> None:
    assert decode(Order, b"null") is None


def test_not_a_number_and_infinity_are_strings_in_topics_as_java_programs_write_them() -> None:
    assert encode(list[float], [float("inf"), float("nan")]) == b'["Infinity","NaN"]'
    assert decode(float, b'"-Infinity"') == float("-inf")


def test_bytes_are_decoded_from_url_safe_and_standard_base64() -> None:
    assert decode(list[bytes], b'["__4_","//4/"]') == [b"\xff\xfe?"] * 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{}", "Order: orderId: Field required"),
        (b'{"orderId":5}', "Order: orderId: Input should be a valid string, not 5"),
        (
            b'{"orderId":"o1","orderLines":[{"unitPrice":"dear"}]}',
            "Order: orderLines[0].unitPrice: Input should be a valid number, not 'dear'",
        ),
        (b"[]", "Order: Input should be an object, not []"),
        (b'{"orderId":', "Order: Invalid JSON: EOF while parsing a value at line 1 column 11"),
        (b"", "Order: Invalid JSON: EOF while parsing a value at line 1 column 0"),
        (b"\xff\x00", "Order: Invalid JSON: expected value at line 1 column 1"),
        (b"[" * 100_000, "Order: Invalid JSON: recursion limit exceeded"),
    ],
)
def test_a_decoding_error_has_the_type_the_path_of_the_field_and_the_problem(data: bytes, message: str) -> None:
    with pytest.raises(CodecError) as refused:
        decode(Order, data)
    assert str(refused.value).startswith(message)
    assert len(str(refused.value)) < 300


def test_a_decoding_error_has_the_first_three_problems() -> None:
    data = b"[" + b",".join([b"{}"] * 9) + b"]"
    with pytest.raises(CodecError, match=r"\[0\]\.unitPrice: Field required; \[1\].*; \[2\].*; and 6 more$"):
        decode(list[Line], data)


def test_decoding_runs_the_checks_of_the_dataclass() -> None:
    with pytest.raises(CodecError, match=r"Age: an age is not negative$"):
        decode(Age, b'{"years":-1}')


class Limited(BaseModel):
    limit: Decimal

    @field_validator("limit")
    @classmethod
    def positive(cls, value: Decimal) -> Decimal:
        if value <= 0:  # not-a-number cannot be compared
            raise ValueError("a limit is positive")
        return value


@dataclass(frozen=True)
class Priced:
    price: Decimal

    def __post_init__(self) -> None:
        if {"EUR": 1}[str(self.price)]:
            raise AssertionError


@pytest.mark.parametrize(
    ("declared", "data", "message"),
    [
        (Limited, b'{"limit":"sNaN"}', "Limited: limit: Input should be"),
        (Limited, b'{"limit":"NaN"}', "Limited: InvalidOperation"),
        (Priced, b'{"price":"1"}', "Priced: KeyError: '1'"),
        (list[Priced], b'[{"price":"1"}]', "KeyError: '1'"),
    ],
)
def test_whatever_a_class_raises_for_what_is_decoded_is_an_error_of_the_codec(declared: Any, data: bytes, message: str) -> None:
    codec = JsonCodecs().for_value("t", declared)
    with pytest.raises(CodecError, match=message):
        codec.decode(data)
    with pytest.raises(CodecError, match=message):
        codec.decode_all([data] * 5)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Order(5), "Order: order_id: expected str, found int 5"),  # type: ignore[arg-type]
        (Line(1.5), r"Order: expected Order, found Line\(unit_price=1\.5, "),
        ("o1", "Order: expected Order, found str 'o1'"),
        (Order("\ud800"), "Order: .*surrogates not allowed"),
    ],
)
def test_an_encoding_error_has_the_type_the_field_and_the_problem(value: object, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        encode(Order, value)


def test_every_value_is_checked_even_after_many_valid_ones() -> None:
    codec = CODECS.for_value("lines", Line)
    assert [codec.encode(Line(1.5, 2)) for _ in range(3)] == [b'{"unitPrice":1.5,"itemCount":2}'] * 3
    for invalid in (Line("1.5", 2), Line(1.5, "2"), Order("o1")):  # type: ignore[arg-type]
        with pytest.raises(CodecError, match=r"Line: .*expected"):
            codec.encode(invalid)
    assert codec.encode(Line(float("nan"), 2)) == b'{"unitPrice":"NaN","itemCount":2}'
    assert codec.encode(Line(2.5, 3)) == b'{"unitPrice":2.5,"itemCount":3}'


@dataclass
class Tagged:
    name: str
    tag: Any = None


@pytest.mark.parametrize("codec", [JsonCodecs().for_value("t", Tagged), JsonCodecs().for_state(Tagged)])
def test_values_with_untyped_fields_are_checked_even_after_many_valid_ones(codec: Codec) -> None:
    for tag in (1, "a", [1, {"a": None}]):
        for _ in range(2):
            assert codec.decode(codec.encode(Tagged("a", tag))) == Tagged("a", tag)
    for wrong in (Tagged("a", object()), Tagged(1, None)):  # type: ignore[arg-type] # wrong on purpose
        with pytest.raises(CodecError):
            codec.encode(wrong)


class Price(BaseModel):
    amount: int


def test_a_model_in_an_untyped_field_is_checked_even_after_a_valid_one() -> None:
    codec = JsonCodecs().for_value("t", Tagged)
    codec.encode(Tagged("a", Price(amount=1)))
    with pytest.raises(CodecError):
        codec.encode(Tagged("a", Price.model_construct(amount="much")))  # type: ignore[arg-type] # wrong on purpose


def test_state_with_an_untyped_field_that_is_nested_too_deeply_is_refused_even_after_many_valid_ones() -> None:
    codec, nested = JsonCodecs().for_state(Tagged), list[Any]()
    for _ in range(2):
        codec.encode(Tagged("a", nested))
    for _ in range(95):
        nested = [nested]
    for _ in range(2):
        with pytest.raises(CodecError, match="nested more than 90"):
            codec.encode(Tagged("a", nested))


def test_a_type_that_json_cannot_represent_is_an_error_when_the_codec_is_created() -> None:
    class Socket: ...

    for declared in ("Missing", Tree, Callable[[int], int], list[Callable[[], str]]):
        with pytest.raises(JsonTypeError, match=r"the values of topic 'orders': JSON cannot represent type .*; (use|import) "):
            CODECS.for_value("orders", declared)
    with pytest.raises(JsonTypeError, match=r"the values of topic 'orders': JSON cannot represent type 'Socket': .*; use"):
        JsonCodecs().for_value("orders", Socket)


@dataclass(frozen=True)
class Measured:
    number: float = 0.0
    many: list[float] = field(default_factory=list)
    by_name: dict[str, float | None] = field(default_factory=dict)
    line: Line | None = None
    anything: Any = None


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"NaN", b"Infinity", b"-Infinity", b"9" * 400, b'"1e400"'])
@pytest.mark.parametrize(
    "data",
    [
        b'{"number":%s}',
        b'{"many":[1.5,%s]}',
        b'{"byName":{"a":%s}}',
        b'{"line":{"unitPrice":%s,"itemCount":1}}',
        b'{"anything":{"a":[%s]}}',
    ],
)
def test_numbers_that_no_float_holds_and_constants_that_are_not_json_cannot_be_decoded(data: bytes, number: bytes) -> None:
    codec = LAX.for_value("measured", Measured)
    if b"anything" in data and b'"' in number:
        assert codec.encode(codec.decode(data % number)) is not None
        return
    with pytest.raises(CodecError, match=r"Measured: .*finite|out of range|Invalid JSON"):
        codec.decode(data % number)
    with pytest.raises(CodecError, match="finite"):
        decode(list[Decimal], b"[1e400]")
    for declared in (float, list[float], Line):
        with pytest.raises(CodecError):
            decode(declared, {float: b"%s", list[float]: b"[%s]"}.get(declared, b'{"unitPrice":%s}') % number)


@pytest.mark.parametrize("data", [b'"NaN"', b'"Infinity"', b"1e308", b"-1.7e308", b"5e-324"])
def test_what_is_decoded_can_be_written_again(data: bytes) -> None:
    codec = JsonCodecs().for_value("measured", Measured)
    found = codec.decode(b'{"number":%s,"anything":[%s],"line":{"unitPrice":%s,"itemCount":1}}' % (data, data, data))
    assert repr(codec.decode(codec.encode(found))) == repr(found)


def test_state_preserves_infinity_and_not_a_number() -> None:
    codec = JsonCodecs().for_state(Measured)
    found = codec.decode(codec.encode(Measured(float("inf"), many=[float("nan")])))
    assert repr((found.number, found.many)) == "(inf, [nan])"


@dataclass
class Sold:
    number: int
    price: float = 0.0
    note: str | None = None


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            Sold(True),
            r"Sold: number: True would come back from JSON as 1; write int\(…\), or declare the type of what is written",
        ),
        (Sold(1, True), "Sold: price: True would come back from JSON as 1.0"),
        (Sold(None), "Sold: number: .* a valid integer, not None"),  # type: ignore[arg-type] # wrong on purpose
        (Sold(1, None), "Sold: price: .* a valid number, not None"),  # type: ignore[arg-type] # likewise
        (Sold(1, 1.5, 5), "Sold: note: expected str.*, found int 5"),  # type: ignore[arg-type] # likewise
    ],
)
def test_what_could_not_be_read_again_is_not_written(value: Sold, message: str, count: int) -> None:
    codec = CODECS.for_value("sold", Sold)
    codec.encode(Sold(1, 2, None))
    with pytest.raises(CodecError, match=message):
        codec.encode_all([value] * count)


class Secret(BaseModel):
    name: str
    number: int = Field(exclude=True)


@dataclass
class Sale:
    sold: Sold
    kind: Literal["cash", "card"] = "cash"
    others: tuple[Sold, ...] = ()
    at: date | None = None
    discounts: dict[str, Annotated[int, Field(ge=0)]] = field(default_factory=dict)


@pytest.mark.parametrize("codecs", [CODECS, LAX])
@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Sale(None), "Sale: sold: .*, not None"),  # type: ignore[arg-type] # wrong on purpose
        (Sale(Sold(None)), "Sale: sold.number: .*, not None"),  # type: ignore[arg-type] # likewise
        (Sale(Sold(1), "coin"), "Sale: kind: .*'cash' or 'card', not 'coin'"),  # type: ignore[arg-type] # likewise
        (Sale(Sold(1), others=(Sold(2), Sold(3, None))), r"Sale: others\[1\].price: .*, not None"),  # type: ignore[arg-type]
        (Sale(Sold(1), discounts={"a": -1}), "Sale: discounts.a: .*, not -1"),
    ],
)
def test_what_could_not_be_read_again_at_any_level_is_not_written(
    value: Sale, message: str, count: int, codecs: JsonCodecs
) -> None:
    codec = codecs.for_value("sales", Sale)
    codec.encode(Sale(Sold(1)))
    with pytest.raises(CodecError, match=message):
        codec.encode_all([value] * count)


def test_a_type_that_is_only_written_may_leave_out_fields() -> None:
    codec = CODECS.for_value("secrets", Secret)
    assert codec.encode(Secret(name="a", number=1)) == b'{"name":"a"}'


def test_types_that_are_lax_are_written_as_they_are_read() -> None:
    assert LAX.for_value("sold", Sold).encode(Sold(True, 2)) == b'{"number":1,"price":2.0,"note":null}'


def test_keys_of_a_dict_that_would_become_another_text_are_refused() -> None:
    for hint, value in ((dict[str | None, int], {None: 1}), (dict[Literal[1, "1"], int], {1: 1})):
        codec = CODECS.for_value("orders", hint)
        with pytest.raises(CodecError, match="would come back from JSON as"):
            codec.encode(value)
        assert codec.decode(codec.encode({"1": 1})) == {"1": 1}
