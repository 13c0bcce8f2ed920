"""The queries that replay the cases on Spark: each has as many cases as can share it."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeAlias

from eddyline.adapters.cli.replay.case import Case, RecordStep, read_case
from eddyline.application.topology import Topology
from tests.conformance.recorded import TOPOLOGIES
from tests.fixtures.side_by_side import can_share, global_stores, has_global_tables, prefix, side_by_side, stages

Group: TypeAlias = tuple[Path, ...]
"""The cases of one topology with the same config."""

Replay: TypeAlias = Callable[[Sequence[Case], Topology], list[dict[str, Any]]]
"""Returns the results of cases of one topology: the output records and the contents of the stores."""

_TOPOLOGIES_OF_A_QUERY: Final = 16
"""More are not faster: each task of a query has the operators of all its topologies."""


def groups(paths: Iterable[Path]) -> list[Group]:
    """Return these cases, those of one topology with the same config together."""

    def config(path: Path) -> str:
        case = read_case(path)
        return json.dumps([case.topology, case.config], sort_keys=True)

    return [tuple(own) for _, own in groupby(sorted(paths, key=config), key=config)]


class Queries:
    """Replays the cases of a query, all of which are among `paths`, when the result of one of them is asked for."""

    def __init__(self, replay: Replay, paths: Iterable[Path]) -> None:
        self._replay = replay
        self._query_of = {path: query for query in _queries(paths) for group in query for path in group}
        self._results: dict[Path, dict[str, Any]] = {}

    def result(self, path: Path) -> dict[str, Any]:
        """Return the result of a case."""
        if path not in self._results:
            self._results |= _results(self._query_of[path], self._replay)
        return self._results[path]


def topology_of(group: Group) -> Topology:
    """Return the topology of a group."""
    case = read_case(group[0])
    return TOPOLOGIES[case.topology].topology(**case.config)


def _queries(paths: Iterable[Path]) -> list[list[Group]]:
    """Return the groups of each query; those with equally many stages are together."""
    topologies = {group: topology_of(group) for group in groups(paths)}
    sharing = {group for group, own in topologies.items() if can_share(own) and (len(group) == 1 or not has_global_tables(own))}
    shared = sorted(sharing, key=lambda group: (stages(topologies[group]), group))
    starts = range(0, len(shared), _TOPOLOGIES_OF_A_QUERY)
    alone = [[group] for group in topologies if group not in sharing]
    return [*alone, *(shared[start : start + _TOPOLOGIES_OF_A_QUERY] for start in starts)]


def _results(query: Sequence[Group], replay: Replay) -> dict[Path, dict[str, Any]]:
    if len(query) == 1:
        return dict(zip(query[0], replay([read_case(path) for path in query[0]], topology_of(query[0])), strict=True))
    numbered = [(number, path) for number, group in enumerate(query) for path in group]
    cases = [_moved(read_case(path), prefix(number)) for number, path in numbered]
    partitions = [[index for index, (owner, _) in enumerate(numbered) if owner == number] for number in range(len(query))]
    topology = side_by_side([topology_of(group) for group in query], partitions)
    results, common = replay(cases, topology), global_stores(topology)
    return {path: _own(result, prefix(number), common) for (number, path), result in zip(numbered, results, strict=True)}


def _moved(case: Case, beginning: str) -> Case:
    steps = (step._replace(topic=beginning + step.topic) if isinstance(step, RecordStep) else step for step in case.steps)
    return replace(case, steps=tuple(steps))


def _own(result: dict[str, Any], beginning: str, common: Collection[str]) -> dict[str, Any]:
    """Return a result with the original names; everything in it but common stores must belong to the topology of the case."""
    assert all(record["topic"].startswith(beginning) for record in result["output"])
    assert not any(rows for name, rows in result["stores"].items() if not name.startswith(beginning) and name not in common)
    return {
        "output": [{**record, "topic": record["topic"].removeprefix(beginning)} for record in result["output"]],
        "stores": {name.removeprefix(beginning): rows for name, rows in result["stores"].items() if name.startswith(beginning)},
    }
