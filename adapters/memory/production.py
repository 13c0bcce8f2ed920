"""Produces the outputs of the memory engine's tasks: checks that they can be encoded, and chooses their partitions."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from eddyline.adapters.memory.partitioning import Partitioning
from eddyline.adapters.memory.transfer import Transfer
from eddyline.application.operators.output import Output
from eddyline.application.ports.codec import CodecUnavailableError
from eddyline.application.runtime.plan.failures import OutputError


class Produced(NamedTuple):
    """An output and its partitions: None for the default one, none at all if a partitioner chose none."""

    output: Output
    partitions: Collection[int | None]


_BY_DEFAULT = (None,)


class Production:
    """Produces outputs."""

    def __init__(self, transfer: Transfer, partitioning: Partitioning) -> None:
        self._transfer, self._partitioning = transfer, partitioning

    def of(self, output: Output) -> Produced:
        """Return an output with its partitions. Raises CodecError, and what its partitioner raises."""
        self._transfer.check(output)
        partitioner = output.sink.partitioner
        return Produced(output, _BY_DEFAULT if partitioner is None else self._partitioning.chosen(output, partitioner))

    def of_all(self, outputs: Sequence[Output]) -> list[Produced]:
        """Return outputs with their partitions.

        Raises:
            OutputError: an output cannot be encoded, or its partitioner fails.
            CodecUnavailableError: a codec cannot work at the moment.
        """
        return [self._guarded(output) for output in outputs]

    def _guarded(self, output: Output) -> Produced:
        try:
            return self.of(output)
        except CodecUnavailableError:
            raise
        except Exception as error:
            raise OutputError(output, error) from error
