"""Under which subject of the registry the schema of a topic's keys or values stands."""

from enum import Enum
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["key", "value"]


class SubjectNameStrategy(Enum):
    """Confluent's three ways to name a subject; each value is the short name, in settings."""

    TOPIC = "topic"
    RECORD = "record"
    TOPIC_RECORD = "topic-record"

    def subject(self, topic: str, part: Part, record: str | None) -> str:
        """The subject; `record` is the full name of the record or enum, None for a schema without one.

        Raises LookupError when the strategy needs a name and there is none.
        """
        if self is SubjectNameStrategy.TOPIC:
            return f"{topic}-{part}"
        if record is None:
            raise LookupError(
                f"the {part}s of {topic} are no records, so the subject name strategy {self.value} has no name for them; "
                f"set {part}.subject.name.strategy to topic"
            )
        return record if self is SubjectNameStrategy.RECORD else f"{topic}-{record}"


def strategy_named(name: str) -> SubjectNameStrategy:
    """The strategy by its short name or by Confluent's class name, with or without package. Raises LookupError."""
    simple = name.rpartition(".")[2]
    for strategy in SubjectNameStrategy:
        class_name = "".join(part.capitalize() for part in strategy.value.split("-")) + "NameStrategy"
        if simple in (strategy.value, strategy.name, class_name):
            return strategy
    choices = ", ".join(strategy.value for strategy in SubjectNameStrategy)
    raise LookupError(f"{name!r} is unknown; choose one of {choices}")
