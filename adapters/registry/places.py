"""What a codec is for, and what was found out about it."""

from dataclasses import dataclass

from eddyline.adapters.registry.subjects import Part


@dataclass(frozen=True)
class Place:
    """The keys or the values of a topic."""

    topic: str
    part: Part

    def __str__(self) -> str:
        return f"{self.part} of topic {self.topic}"


@dataclass(frozen=True)
class Finding:
    """What a check found of a topic's keys or values; `problem` is None where all is well."""

    place: Place
    subject: str | None
    schema_id: int | None
    problem: str | None = None
