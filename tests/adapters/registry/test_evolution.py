"""Changes of a dataclass at every compatibility level of a registry: the codecs decode what the registry accepts."""

from collections.abc import Iterator
from dataclasses import field, make_dataclass
from enum import Enum
from typing import Any, NamedTuple

import pytest

from eddyline.adapters.avro.format import AvroFormat, AvroFormats
from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import SchemaRefusedError
from tests.adapters.registry.conftest import Registries, registries_of
from tests.adapters.registry.in_memory import InMemorySchemaRegistry


def version(*fields: Any) -> type:
    return make_dataclass("Trade", fields)


def venue_enum(*names: str) -> Any:
    return Enum("Venue", names)


Venue = venue_enum("XETRA", "LSE")
MoreVenues = venue_enum("XETRA", "LSE", "NYSE")
VenueWithUnknown = venue_enum("XETRA", "LSE", "UNKNOWN")
MoreVenuesWithUnknown = venue_enum("XETRA", "LSE", "UNKNOWN", "NYSE")

TICKER: Any = ("ticker", str)


class Change(NamedTuple):
    """Two versions of a dataclass, a value of each, and what the other version decodes it as; None if it cannot."""

    old: type
    new: type
    old_value: Any
    new_value: Any
    old_as_new: Any
    new_as_old: Any

    @property
    def new_reads_old(self) -> bool:
        return self.old_as_new is not None

    @property
    def old_reads_new(self) -> bool:
        return self.new_as_old is not None


def change(old: type, new: type, values: tuple[Any, Any], read: tuple[Any, Any]) -> Change:
    return Change(
        old,
        new,
        old(*values[0]),
        new(*values[1]),
        None if read[0] is None else new(*read[0]),
        None if read[1] is None else old(*read[1]),
    )


PLAIN = version(TICKER)
WITH_DEFAULT = version(TICKER, ("size", int, field(default=7)))
WITHOUT_DEFAULT = version(TICKER, ("size", int))
WHOLE, FRACTION = version(("price", int)), version(("price", float))
REQUIRED, OPTIONAL = version(("note", str)), version(("note", str | None))
OPTIONAL_WITH_DEFAULT = version(("note", str | None, field(default="x")))

CHANGES = {
    "nothing": change(PLAIN, version(TICKER), ((("A",), ("B",))), (("A",), ("B",))),
    "add a field with a default": change(PLAIN, WITH_DEFAULT, (("A",), ("B", 2)), (("A", 7), ("B",))),
    "add a field without a default": change(PLAIN, WITHOUT_DEFAULT, (("A",), ("B", 2)), (None, ("B",))),
    "remove a field with a default": change(WITH_DEFAULT, PLAIN, (("A", 1), ("B",)), (("A",), ("B", 7))),
    "remove a field without a default": change(WITHOUT_DEFAULT, PLAIN, (("A", 1), ("B",)), (("A",), None)),
    "widen a number": change(WHOLE, FRACTION, ((3,), (2.5,)), ((3.0,), None)),
    "narrow a number": change(FRACTION, WHOLE, ((2.5,), (3,)), (None, (3.0,))),
    "make a field optional": change(REQUIRED, OPTIONAL, (("a",), (None,)), (("a",), None)),
    "make an optional field required": change(OPTIONAL, REQUIRED, ((None,), ("a",)), (None, ("a",))),
    "change the default of a union": change(OPTIONAL, OPTIONAL_WITH_DEFAULT, ((None,), ("b",)), ((None,), ("b",))),
    "string to bytes": change(version(("it", str)), version(("it", bytes)), (("é",), (b"a",)), ((b"\xc3\xa9",), ("a",))),
    "string to a number": change(version(("it", str)), version(("it", int)), (("1",), (1,)), (None, None)),
    "reorder fields": change(
        version(("a", int), ("b", str)), version(("b", str), ("a", int)), ((1, "x"), ("y", 2)), (("x", 1), (2, "y"))
    ),
    "add a symbol": change(
        version(("at", Venue)), version(("at", MoreVenues)), ((Venue.LSE,), (MoreVenues.NYSE,)), ((MoreVenues.LSE,), None)
    ),
    "add a symbol to an enum with the member UNKNOWN": change(
        version(("at", VenueWithUnknown)),
        version(("at", MoreVenuesWithUnknown)),
        ((VenueWithUnknown.LSE,), (MoreVenuesWithUnknown.NYSE,)),
        ((MoreVenuesWithUnknown.LSE,), (VenueWithUnknown.UNKNOWN,)),
    ),
    "add a branch": change(version(("it", int | str)), version(("it", int | str | bool)), ((1,), (True,)), ((1,), None)),
}

BACKWARD = ("BACKWARD", "BACKWARD_TRANSITIVE")
FORWARD = ("FORWARD", "FORWARD_TRANSITIVE")
FULL = ("FULL", "FULL_TRANSITIVE")


def is_compatible(level: str, case: Change) -> bool:
    """Return whether a change is compatible at a level."""
    if level in BACKWARD:
        return case.new_reads_old
    if level in FORWARD:
        return case.old_reads_new
    return level == "NONE" or (case.new_reads_old and case.old_reads_new)


class Programs(NamedTuple):
    """Codecs of a topic in two programs: one writes, the other reads and must look up every schema."""

    topic: str
    writing: RegistryCodecs
    reading: RegistryCodecs

    def writer(self, hint: type) -> RegistryCodec:
        return self.writing.for_value(self.topic, hint)

    def reader(self, hint: type) -> RegistryCodec:
        return self.reading.for_value(self.topic, hint)


@pytest.fixture(scope="module", params=["memory", pytest.param("real", marks=[pytest.mark.services, pytest.mark.slow])])
def registries(request: pytest.FixtureRequest) -> Iterator[Registries]:
    yield from registries_of(request.param, request)


@pytest.fixture
def programs(registries: Registries, topic: str) -> Programs:
    return Programs(topic, *(RegistryCodecs(client, AvroFormats()) for client in registries.clients))


@pytest.mark.parametrize("level", [*BACKWARD, *FORWARD, *FULL, "NONE"])
@pytest.mark.parametrize("name", CHANGES)
def test_both_versions_decode_what_a_compatibility_level_accepts(
    registries: Registries, programs: Programs, level: str, name: str
) -> None:
    case = CHANGES[name]
    InMemorySchemaRegistry.judge(case.old, case.new)
    old, new = programs.reader(case.old), programs.reader(case.new)
    by_old = programs.writer(case.old).encode(case.old_value)
    registries.set_level(old.subject, level)
    if not is_compatible(level, case):
        with pytest.raises(SchemaRefusedError, match=r"refuses the schema: .*[Ii]ncompatible"):
            programs.writer(case.new).register_schema()
        return
    by_new = programs.writer(case.new).encode(case.new_value)
    assert old.decode(by_old) == case.old_value
    assert new.decode(by_new) == case.new_value
    if case.new_reads_old:
        assert new.decode(by_old) == case.old_as_new
    if case.old_reads_new:
        assert old.decode(by_new) == case.new_as_old


@pytest.mark.parametrize("name", CHANGES)
def test_incompatibilities_agree_with_the_registry(name: str) -> None:
    case = CHANGES[name]
    old, new = (AvroFormat(hint) for hint in (case.old, case.new))
    assert (new.incompatibilities(old.schema_text) == ()) is case.new_reads_old
    assert (old.incompatibilities(new.schema_text) == ()) is case.old_reads_new
