"""What operators do through a server."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eddyline.application.operations.dead_letter_service import DeadLetterService


@dataclass(frozen=True)
class Operations:
    """The operations of a server.

    Args:
        dead_letters: The dead letters of each application.
        stop: Lets the run beside which the server answers end after the current batch, and returns at once; None if there is
            no run.
    """

    dead_letters: Sequence[DeadLetterService] = ()
    stop: Callable[[], None] | None = None
