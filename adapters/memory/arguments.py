"""Checks of the arguments of the memory engine, made once."""

from collections.abc import Iterable, Mapping
from typing import get_args

from eddyline.application.topology import Topology
from eddyline.application.topology.types import Emit


def chosen_emit(emit: Emit | None, topology: Topology) -> Emit:
    """Return which updates are forwarded: as the caller chose, else as the topology's flow says, else every update.

    Raises:
        ValueError: there is no such choice.
    """
    chosen = topology.emit_with(emit)
    if chosen not in get_args(Emit):
        msg = f"invalid emit={chosen!r}; choose one of: {', '.join(map(repr, get_args(Emit)))}"
        raise ValueError(msg)
    return chosen


def partition_counts(partitions: int | Mapping[str, int], topics: Iterable[str]) -> dict[str, int]:
    """Return the number of partitions by topic; a single number is that of all `topics`.

    Raises:
        ValueError: a number is no integer, or less than 1.
    """
    counts: dict[str, int] = dict(partitions) if isinstance(partitions, Mapping) else dict.fromkeys(topics, partitions)
    for topic, count in counts.items():
        if type(count) is not int or count < 1:
            msg = f"invalid number of partitions {count!r} for topic '{topic}'; pass partitions=1 or more"
            raise ValueError(msg)
    return counts
