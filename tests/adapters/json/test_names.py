"""The names of fields in JSON, with one value and with many."""

import json
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import BaseModel, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.schema import json_schema_of
from eddyline.application.ports.codec import UnsupportedTypeError
from eddyline.application.topology.types import Names
from eddyline.application.topology.windows import Window, Windowed


@dataclass(frozen=True)
class Mail:
    to: str
    from_: str = field(metadata={"alias": "from"})
    sent_at: int = 0


@dataclass(frozen=True, slots=True)
class Envelope:
    first_mail: Mail
    size_kb: float = 1.5
    secret_note: str = field(default="", metadata={"exclude": True})


@dataclass(frozen=True, slots=True)
class Spaced:
    place_id: Annotated[int, Field(alias='the "place" id')]
    zip_code: str = ""


class MailDict(TypedDict):
    sent_at: int


class Model(BaseModel):
    sent_at: int
    inner: Mail | None = None


@pydantic_dataclass
class Pydantic:
    sent_at: int


@dataclass
class Holder:
    sent_at: int
    model_one: Model
    pydantic_one: Pydantic
    by_key: MailDict


@dataclass
class Java:
    sent_at: int = 0

    __field_names__ = "camelCase"


class Pair(NamedTuple):
    sent_at: int
    to: str = ""


MAIL = Mail("a", "b", 5)
HOLDER = Holder(1, Model(sent_at=2), Pydantic(3), {"sent_at": 4})
CASES: list[tuple[Any, Any, str, str]] = [
    (Mail, MAIL, '{"to":"a","from":"b","sent_at":5}', '{"to":"a","from":"b","sentAt":5}'),
    (
        Envelope,
        Envelope(MAIL, 2.5, ""),
        '{"first_mail":{"to":"a","from":"b","sent_at":5},"size_kb":2.5}',
        '{"firstMail":{"to":"a","from":"b","sentAt":5},"sizeKb":2.5}',
    ),
    (
        Spaced,
        Spaced(1, "x"),
        '{"the \\"place\\" id":1,"zip_code":"x"}',
        '{"the \\"place\\" id":1,"zipCode":"x"}',
    ),
    (
        Holder,
        HOLDER,
        '{"sent_at":1,"model_one":{"sent_at":2,"inner":null},"pydantic_one":{"sent_at":3},"by_key":{"sent_at":4}}',
        '{"sentAt":1,"modelOne":{"sentAt":2,"inner":null},"pydanticOne":{"sentAt":3},"byKey":{"sentAt":4}}',
    ),
    (Java, Java(5), '{"sentAt":5}', '{"sentAt":5}'),
]


def codecs(names: Names) -> JsonCodecs:
    return JsonCodecs(choices=TypeChoices({"names": names}))


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(("declared", "value", "as_declared", "camel_case"), CASES)
def test_names_and_exclusions_are_the_same_however_many_values_there_are(
    declared: Any, value: Any, as_declared: str, camel_case: str, count: int
) -> None:
    spellings: list[tuple[Names, str]] = [("as-declared", as_declared), ("camelCase", camel_case)]
    for names, text in spellings:
        codec = codecs(names).for_value("mails", declared)
        assert list(codec.encode_all([value] * count)) == [text.encode()] * count
        for _, written in spellings:
            assert list(codec.decode_all([written.encode()] * count)) == [value] * count


@pytest.mark.parametrize("names", ["as-declared", "camelCase"])
@pytest.mark.parametrize(("declared", "value", "_as_declared", "_camel_case"), CASES)
def test_a_schema_has_the_names_that_are_written(
    declared: Any, value: Any, _as_declared: str, _camel_case: str, names: Names
) -> None:
    written = json.loads(codecs(names).for_value("mails", declared).encode(value) or b"")
    assert list(json_schema_of(declared, names)["properties"]) == list(written)


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(
    ("declared", "value", "text"),
    [
        (Mail, MAIL, '{"to":"a","from_":"b","sent_at":5}'),
        (Envelope, Envelope(MAIL, 2.5, "s"), '{"first_mail":{"to":"a","from_":"b","sent_at":5},"size_kb":2.5,"secret_note":"s"}'),
        (Java, Java(5), '{"sent_at":5}'),
    ],
)
def test_state_has_the_names_in_python_and_leaves_nothing_out(declared: Any, value: Any, text: str, count: int) -> None:
    codec = codecs("camelCase").for_state(declared)
    assert list(codec.encode_all([value] * count)) == [text.encode()] * count
    assert list(codec.decode_all([text.encode()] * count)) == [value] * count


@pytest.mark.parametrize("count", [1, 5])
def test_the_name_that_is_written_counts_if_there_are_several(count: int) -> None:
    data = [b'{"sentAt":1,"sent_at":2,"to":"a","from":"b","from_":"c"}'] * count
    assert list(codecs("as-declared").for_value("mails", Mail).decode_all(data)) == [Mail("a", "b", 2)] * count
    assert list(codecs("camelCase").for_value("mails", Mail).decode_all(data)) == [Mail("a", "b", 1)] * count


def test_a_topic_has_its_own_choice() -> None:
    chosen = JsonCodecs(choices=TypeChoices({"names.mails": "camelCase"})).configured(
        {"names": "camelCase", "names.mails": "as-declared", "names.other": "as-declared"}
    )
    written = {topic: chosen.for_value(topic, Java | Mail).encode(MAIL) for topic in ("mails", "other", "third")}
    assert [b"sentAt" in (data or b"") for data in written.values()] == [True, False, True]


def test_keys_have_the_names_of_their_topic() -> None:
    key = Windowed(MAIL, Window(0, 5))
    assert codecs("camelCase").for_key("mails", Windowed[Mail]).encode(key) == (
        b'{"key":{"to":"a","from":"b","sentAt":5},"window":{"start":0,"end":5}}'
    )


def test_a_named_tuple_is_an_array_and_is_read_from_an_object_too() -> None:
    codec = codecs("camelCase").for_value("mails", list[Pair])
    assert codec.encode([Pair(1, "a")]) == b'[[1,"a"]]'
    assert codec.decode(b'[[1,"a"],{"sentAt":1,"to":"a"},{"sent_at":1,"to":"a"}]') == [Pair(1, "a")] * 3


def test_two_fields_with_one_name_are_refused_with_the_topic() -> None:
    @dataclass
    class Ambiguous:
        sent_at: int
        sentAt: int  # noqa: N815 - that is the point

    with pytest.raises(UnsupportedTypeError, match="the values of topic 'mails': fields 'sent_at' and 'sentAt'"):
        codecs("camelCase").for_value("mails", Ambiguous)
