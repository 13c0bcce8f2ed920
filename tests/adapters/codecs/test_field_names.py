"""The names of fields outside Python."""

from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from eddyline.adapters.codecs.field_names import field_names
from eddyline.application.ports.codec import UnsupportedTypeError
from eddyline.application.topology.types import Names


@dataclass
class Payment:
    payment_id: int
    shop: str = ""


@dataclass
class Mail:
    to: str
    from_: str = field(metadata={"alias": "from"})
    reply_to: Annotated[str, Field(alias="reply-to")] = ""
    note: str = field(default="", metadata={"exclude": True})


class PaymentDict(TypedDict):
    payment_id: Annotated[int, Field(alias="id")]
    paid_at: int


class PaymentTuple(NamedTuple):
    payment_id: int
    shop: str = ""


class Model(BaseModel):
    payment_id: int = Field(validation_alias=AliasChoices("pid", "p"), serialization_alias="payment")
    shop: str = ""


class Generated(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)

    payment_id: int


@dataclass
class Java:
    paymentId: int  # noqa: N815 - as in Java
    paid_at: int = 0

    __field_names__ = "camelCase"


@dataclass
class Ambiguous:
    sent_at: int
    sentAt: int  # noqa: N815 - the other spelling of another field


@dataclass
class Swapped:
    a: int = field(metadata={"alias": "b"})
    b: int = field(metadata={"alias": "a"})


def names(declared: Any, choice: Names = "as-declared") -> dict[str, tuple[str, tuple[str, ...]]]:
    return {each.attribute: (each.written, each.read) for each in field_names(declared, choice).values()}


@pytest.mark.parametrize(
    ("declared", "choice", "expected"),
    [
        (Payment, "as-declared", {"payment_id": ("payment_id", ("payment_id", "paymentId")), "shop": ("shop", ("shop",))}),
        (Payment, "camelCase", {"payment_id": ("paymentId", ("paymentId", "payment_id")), "shop": ("shop", ("shop",))}),
        (
            Mail,
            "camelCase",
            {
                "to": ("to", ("to",)),
                "from_": ("from", ("from", "from_")),
                "reply_to": ("reply-to", ("reply-to", "reply_to", "replyTo")),
                "note": ("note", ("note",)),
            },
        ),
        (
            PaymentDict,
            "as-declared",
            {"payment_id": ("id", ("id", "payment_id", "paymentId")), "paid_at": ("paid_at", ("paid_at", "paidAt"))},
        ),
        (PaymentTuple, "camelCase", {"payment_id": ("paymentId", ("paymentId", "payment_id")), "shop": ("shop", ("shop",))}),
        (
            Model,
            "as-declared",
            {"payment_id": ("payment", ("pid", "p", "payment", "payment_id", "paymentId")), "shop": ("shop", ("shop",))},
        ),
        (Generated, "as-declared", {"payment_id": ("paymentId", ("paymentId", "payment_id"))}),
        (
            Java,
            "as-declared",
            {"paymentId": ("paymentId", ("paymentId", "payment_id")), "paid_at": ("paidAt", ("paidAt", "paid_at"))},
        ),
        (Ambiguous, "as-declared", {"sent_at": ("sent_at", ("sent_at",)), "sentAt": ("sentAt", ("sentAt",))}),
        (Swapped, "as-declared", {"a": ("b", ("b",)), "b": ("a", ("a",))}),
    ],
)
def test_a_field_is_written_with_one_name_and_read_by_all_that_are_unambiguous(
    declared: Any, choice: Names, expected: dict[str, tuple[str, tuple[str, ...]]]
) -> None:
    assert names(declared, choice) == expected


def test_excluded_fields_are_marked() -> None:
    assert [each.attribute for each in field_names(Mail, "as-declared").values() if each.excluded] == ["note"]


def test_two_fields_with_one_name_are_refused() -> None:
    with pytest.raises(UnsupportedTypeError, match="fields 'sent_at' and 'sentAt' of 'Ambiguous' are both written as 'sentAt'"):
        field_names(Ambiguous, "camelCase")


def test_an_unknown_choice_of_a_class_is_refused() -> None:
    declared = type("Declared", (Java,), {"__field_names__": "PascalCase"})
    with pytest.raises(UnsupportedTypeError, match="__field_names__ of 'Declared' is 'PascalCase'; choose one of: 'as-declared'"):
        field_names(declared, "as-declared")
