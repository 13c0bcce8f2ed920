"""What is written with a registered schema comes back as it was, or is refused."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.protobuf.format import ProtobufFormats
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.format import FormatFactory
from eddyline.application.ports.codec import CodecError
from tests.adapters.registry.in_memory import InMemorySchemaRegistry

FORMATS = pytest.mark.parametrize("formats", [AvroFormats(), ProtobufFormats()], ids=["avro", "protobuf"])


@dataclass
class Counted:
    number: int

    def __post_init__(self) -> None:
        self.number += 1


@dataclass
class Trimmed:
    name: str
    secret: str = field(default="", metadata={"exclude": True})

    def __post_init__(self) -> None:
        self.name = self.name.strip()


@dataclass
class Hidden:
    name: str
    secret: str = field(metadata={"exclude": True})


@dataclass
class Numbered:
    numbers: dict[str, int]


def codec(formats: FormatFactory, declared: Any, topic: str) -> Any:
    return RegistryCodecs(InMemorySchemaRegistry(), formats).for_value(topic, declared)


@FORMATS
def test_a_value_that_its_class_would_change_is_refused(formats: FormatFactory, topic: str) -> None:
    with pytest.raises(CodecError, match=r"cannot encode the value of topic 'topic-.*': number: 2 would come back as 3"):
        codec(formats, Counted, topic).encode(Counted(1))


@FORMATS
@pytest.mark.parametrize("value", [Trimmed(" a ", "b"), Hidden("a", "b")])
def test_fields_that_are_not_written_are_not_compared(formats: FormatFactory, topic: str, value: Any) -> None:
    assert codec(formats, type(value), topic).encode(value)


@FORMATS
def test_dicts_come_back_in_another_order(formats: FormatFactory, topic: str) -> None:
    by_name = codec(formats, Numbered, topic)
    assert by_name.decode(by_name.encode(Numbered({"b": 1, "": 2, "a": 3}))) == Numbered({"": 2, "a": 3, "b": 1})
