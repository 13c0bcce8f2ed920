"""The checkpoint of a simulated query."""

import json
from dataclasses import dataclass, field

from eddyline.adapters.spark.source.datasource import Offset
from tests.adapters.spark.state.chunk_store import MemoryChunkStore


class JobFailedError(Exception):
    """A task has failed too often, or another driver has taken over the checkpoint."""


@dataclass
class Checkpoint:
    """What survives all processes: the offsets of each batch, the batches that are done, and the versions of the state."""

    offsets: dict[int, str] = field(default_factory=dict)
    commits: dict[int, None] = field(default_factory=dict)
    state: dict[tuple[int, int, int], dict[int, MemoryChunkStore]] = field(default_factory=dict)
    begun: dict[int, None] = field(default_factory=dict)  # batches whose results may have been written
    at_risk: dict[int, None] = field(default_factory=dict)  # batches that the next driver may not find
    keep_first: bool = False  # whether the first attempt to write a version wins, or the last

    def add_offsets(self, batch: int, offset: Offset) -> None:
        """Store the offsets of a batch, unless another driver has. Raises JobFailedError."""
        if batch in self.offsets:
            raise JobFailedError(f"batch {batch} was planned by another driver")
        self.offsets[batch] = json.dumps(offset)

    def lose(self, batch: int) -> None:
        """Lose a batch of which no results have been written."""
        del self.offsets[batch], self.at_risk[batch]
        self.state = {version: found for version, found in self.state.items() if version[2] != batch}

    def load_state(self, stage: int, group: int, batch: int) -> dict[int, MemoryChunkStore]:
        """Return a copy of the state before a batch."""
        return {task: found.copy() for task, found in self.state.get((stage, group, batch - 1), {}).items()}

    def store_state(self, stage: int, group: int, batch: int, state: dict[int, MemoryChunkStore]) -> None:
        """Store the state after a batch; attempts of the same task write the same version."""
        if self.keep_first:
            self.state.setdefault((stage, group, batch), state)
        else:
            self.state[stage, group, batch] = state
