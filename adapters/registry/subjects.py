"""The subject of the schema registry under which a schema is registered."""

from enum import Enum

from eddyline.adapters.registry.serialization_context import SerializationContext


class SubjectNameStrategy(Enum):
    """Confluent's three subject name strategies; the values are their names in settings."""

    TOPIC = "topic"
    RECORD = "record"
    TOPIC_RECORD = "topic-record"

    def subject(self, context: SerializationContext, record_name: str | None) -> str:
        """Return the subject for the keys or values of a topic.

        Args:
            context: the topic, and whether the schema is for its keys or its values.
            record_name: the full name of the record or enum that the schema describes; None for any other schema.

        Raises:
            LookupError: the strategy needs the name of a record and there is none.
        """
        topic, field = context.topic, context.field
        if self is SubjectNameStrategy.TOPIC:
            return f"{topic}-{field}"
        if record_name is None:
            raise LookupError(
                f"subject name strategy '{self.value}' needs the name of a record, but the {field}s of topic '{topic}' are no "
                f"records; set schema.registry.{field}.subject.name.strategy to topic"
            )
        return record_name if self is SubjectNameStrategy.RECORD else f"{topic}-{record_name}"


def strategy_named(name: str) -> SubjectNameStrategy:
    """Return the strategy with a short name or one of Confluent's class names, with or without the package.

    Raises:
        LookupError: there is no such strategy.
    """
    class_or_short_name = name.rpartition(".")[2]
    for strategy in SubjectNameStrategy:
        class_name = "".join(part.capitalize() for part in strategy.value.split("-")) + "NameStrategy"
        if class_or_short_name in (strategy.value, strategy.name, class_name):
            return strategy
    choices = ", ".join(strategy.value for strategy in SubjectNameStrategy)
    raise LookupError(f"unknown subject name strategy '{name}'; choose one of: {choices}")
