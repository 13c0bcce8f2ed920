"""The choices of how types are written in topics: by settings, by the flow, or by default, each also for one topic."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from eddyline.application.topology.types import Names


@dataclass(frozen=True)
class TypeChoices:
    """The choices of names and of strictness, such as `{"names": "camelCase", "names.trades": "as-declared"}`.

    That of a topic takes precedence. By default, names are as declared and types are strict.
    """

    given: Mapping[str, str] = field(default_factory=dict)

    def names(self, topic: str) -> Names:
        """Return what fields are called in a topic."""
        return cast("Names", self._of("names", topic) or "as-declared")

    def is_strict(self, topic: str) -> bool:
        """Return whether the values in a topic must be of the types of their fields."""
        return self._of("types", topic) != "lax"

    def over(self, others: Mapping[str, str]) -> "TypeChoices":
        """Return these choices, and others where these have none for the same name."""
        return TypeChoices({**others, **self.given})

    def _of(self, what: str, topic: str) -> str | None:
        return self.given.get(f"{what}.{topic}") or self.given.get(what)
