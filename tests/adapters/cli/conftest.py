"""What the tests of the commands name."""

from tests.fixtures.commands import Eddyline, Outcome

__all__ = ["Eddyline", "Outcome"]
