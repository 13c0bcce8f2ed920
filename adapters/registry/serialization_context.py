"""The part of a topic's records that a codec is for."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

MessageField: TypeAlias = Literal["key", "value"]


@dataclass(frozen=True)
class SerializationContext:
    """The keys or the values of a topic."""

    topic: str
    field: MessageField

    def __str__(self) -> str:
        return f"{self.field} of topic '{self.topic}'"
