"""A case: a topology's name, its config and the steps to take, read from a JSON file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from eddyline.adapters.cli.errors import CommandError


class CaseError(CommandError):
    """The case cannot be replayed; the message names the file, the place and the reason."""


class RecordStep(NamedTuple):
    """One record for a topic; `value` is JSON as Python has it, None is a tombstone; `timestamp` in ms since the epoch."""

    topic: str
    key: str | None
    value: Any
    timestamp: int
    headers: Mapping[str, str]


class ClockStep(NamedTuple):
    """Moves the wall clock on by so many milliseconds."""

    advance_ms: int


Step: TypeAlias = RecordStep | ClockStep


@dataclass(frozen=True)
class Case:
    """What a case file says; `name` is the file's name without its ending, `config` the settings of the topology.

    `wall_clock_ms` is where the wall clock begins. Where a case takes event time from a field of the values, its steps have it
    already; NO_TIME stands for a value without it.
    """

    name: str
    topology: str
    config: Mapping[str, Any]
    steps: tuple[Step, ...]
    wall_clock_ms: int = 0


NO_TIME = -1
"""The timestamp of a record whose event time cannot be told; topologies drop it."""


_RECORD_FIELDS = {"topic", "key", "value", "timestamp", "headers"}
_CLOCK_FIELD = "advance_wall_clock_ms"
_TIME_FIELD = "timestamp_field"
_WALL_CLOCK = "initial_wall_clock_ms"
_OWN_CONFIG = (_TIME_FIELD, _WALL_CLOCK)


def read_case(path: Path) -> Case:
    """The case in a file. Raises CaseError for what cannot be read or is no case."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as unreadable:
        raise CaseError(f"case '{path}' cannot be read: {unreadable.strerror}") from unreadable
    except ValueError as malformed:
        raise CaseError(f"case '{path}' is not JSON: {malformed}") from malformed
    if not isinstance(content, dict) or not isinstance(content.get("topology"), str):
        raise CaseError(f"case '{path}' does not name a topology; it needs an object with topology, config and input")
    config, steps = content.get("config", {}), content.get("input")
    if not isinstance(config, dict):
        raise CaseError(f"case '{path}' has a config that is no object")
    if not isinstance(steps, list):
        raise CaseError(f"case '{path}' has no input; it needs a list of records and steps of the wall clock")
    settings = {name: value for name, value in config.items() if name not in _OWN_CONFIG}
    read = (_step(step, f"case '{path}', input {index}") for index, step in enumerate(steps))
    field = config.get(_TIME_FIELD)
    return Case(
        path.stem,
        content["topology"],
        settings,
        tuple(read) if field is None else tuple(_at_its_own_time(step, field) for step in read),
        config.get(_WALL_CLOCK, 0),
    )


def _at_its_own_time(step: Step, field: str) -> Step:
    """The record at the time that a field of its value tells."""
    if isinstance(step, ClockStep):
        return step
    told = step.value.get(field) if isinstance(step.value, dict) else None
    return step._replace(timestamp=told if isinstance(told, int) and not isinstance(told, bool) else NO_TIME)


def _step(step: Any, place: str) -> Step:
    if not isinstance(step, dict):
        raise CaseError(f"{place}: {step!r} is no object")
    if _CLOCK_FIELD in step:
        advance = step[_CLOCK_FIELD]
        if len(step) > 1 or not isinstance(advance, int) or isinstance(advance, bool) or advance < 0:
            raise CaseError(f"{place}: {_CLOCK_FIELD} stands alone, with a number of milliseconds that is not negative")
        return ClockStep(advance)
    unknown = sorted(step.keys() - _RECORD_FIELDS)
    if unknown:
        raise CaseError(f"{place}: field '{unknown[0]}' is unknown; a record has {', '.join(sorted(_RECORD_FIELDS))}")
    topic, key, timestamp, headers = step.get("topic"), step.get("key"), step.get("timestamp"), step.get("headers", {})
    if not isinstance(topic, str):
        raise CaseError(f"{place}: a record needs a topic, and a step of the wall clock needs {_CLOCK_FIELD}")
    if not isinstance(key, str | None):
        raise CaseError(f"{place}: the key is a text or null, not {key!r}")
    if not isinstance(timestamp, int) or isinstance(timestamp, bool):
        raise CaseError(f"{place}: the timestamp is a whole number of milliseconds, not {timestamp!r}")
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise CaseError(f"{place}: headers are an object of texts")
    return RecordStep(topic, key, step.get("value"), timestamp, headers)
