"""Counters that the outside may watch."""

from abc import ABC, abstractmethod


class Metrics(ABC):
    """Takes counts under a name with labels."""

    @abstractmethod
    def count(self, name: str, amount: int, **labels: str) -> None:
        """Adds `amount` to the counter `name` with these labels."""
