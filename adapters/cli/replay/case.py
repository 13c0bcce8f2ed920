"""Test cases: the name of a topology, its settings and its input, read from a JSON file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from eddyline.adapters.cli.errors import CommandError
from eddyline.adapters.settings import read_text_file, reason_of
from eddyline.application.samples.catalogue import FLOWS


class CaseError(CommandError):
    """A case cannot be replayed; the message names the case, the input step and the reason."""


class RecordStep(NamedTuple):
    """A record for a topic; `value` is decoded JSON, None is a tombstone; `timestamp` is in ms since the epoch."""

    topic: str
    key: str | None
    value: Any
    timestamp: int
    headers: Mapping[str, str]


class ClockStep(NamedTuple):
    """Advances wall-clock time by a number of milliseconds."""

    advance_ms: int


Step: TypeAlias = RecordStep | ClockStep


@dataclass(frozen=True)
class Case:
    """A test case.

    Attributes:
        name: The name of the file without its suffix.
        topology: The name of the topology.
        config: The settings of the topology.
        steps: The input. Records have their event time already if the case takes it from a field of the values.
        wall_clock_ms: The wall-clock time at the start, in ms since the epoch.
    """

    name: str
    topology: str
    config: Mapping[str, Any]
    steps: tuple[Step, ...]
    wall_clock_ms: int = 0


LENIENT = "lenient"
"""The setting of sample flows by which they take values as they were written."""

NO_TIME = -1
"""The timestamp of a record whose event time is missing; topologies drop it."""


_RECORD_FIELDS = {"topic", "key", "value", "timestamp", "headers"}
_CLOCK_FIELD = "advance_wall_clock_ms"
_TIME_FIELD = "timestamp_field"
_WALL_CLOCK = "initial_wall_clock_ms"
_CONFIG_OF_CASES = (_TIME_FIELD, _WALL_CLOCK)
_LENIENT_SAMPLES = frozenset(flow.name for flow in FLOWS if LENIENT in flow.settings)


def read_case(path: Path) -> Case:
    """Return the case in a file.

    Cases are recorded with Kafka Streams, whose samples take values as they were written. So a sample flow that has the setting
    `lenient` is lenient unless the case says otherwise.

    Raises:
        CaseError: the file cannot be read, or is not a case.
    """
    try:
        content = json.loads(read_text_file(path))
    except OSError as unreadable:
        raise CaseError(f"cannot read case '{path}': {reason_of(unreadable)}") from unreadable
    except ValueError as malformed:
        raise CaseError(f"case '{path}' is not valid JSON: {malformed}") from malformed
    except RecursionError:
        raise CaseError(f"case '{path}' is not valid JSON: it is nested too deeply") from None
    if not isinstance(content, dict) or not isinstance(content.get("topology"), str):
        raise CaseError(f"case '{path}' has no topology; write an object with the fields topology, config and input")
    config, steps = content.get("config", {}), content.get("input")
    if not isinstance(config, dict):
        raise CaseError(f"case '{path}': config must be an object")
    wall_clock = config.get(_WALL_CLOCK, 0)
    if not isinstance(wall_clock, int) or isinstance(wall_clock, bool):
        raise CaseError(f"case '{path}': {_WALL_CLOCK} must be an integer (ms since the epoch), not {wall_clock!r}")
    if not isinstance(steps, list):
        raise CaseError(f"case '{path}': input must be a list of records and advances of the wall clock")
    settings = {name: value for name, value in config.items() if name not in _CONFIG_OF_CASES}
    if content["topology"] in _LENIENT_SAMPLES:
        settings.setdefault(LENIENT, True)
    read = (_step(step, f"case '{path}', input {index}") for index, step in enumerate(steps))
    field = config.get(_TIME_FIELD)
    return Case(
        path.stem,
        content["topology"],
        settings,
        tuple(read) if field is None else tuple(_with_event_time(step, field) for step in read),
        wall_clock,
    )


def _with_event_time(step: Step, field: str) -> Step:
    """Return the step with the time in a field of its value as the timestamp."""
    if isinstance(step, ClockStep):
        return step
    time = step.value.get(field) if isinstance(step.value, dict) else None
    return step._replace(timestamp=time if isinstance(time, int) and not isinstance(time, bool) else NO_TIME)


def _step(step: Any, where: str) -> Step:
    if not isinstance(step, dict):
        raise CaseError(f"{where}: {step!r} is not an object")
    if _CLOCK_FIELD in step:
        advance = step[_CLOCK_FIELD]
        if len(step) > 1 or not isinstance(advance, int) or isinstance(advance, bool) or advance < 0:
            raise CaseError(f"{where}: {_CLOCK_FIELD} must be the only field and a number of milliseconds of at least 0")
        return ClockStep(advance)
    unknown = sorted(step.keys() - _RECORD_FIELDS)
    if unknown:
        raise CaseError(f"{where}: unknown field '{unknown[0]}'; the fields of a record are {', '.join(sorted(_RECORD_FIELDS))}")
    topic, key, timestamp, headers = step.get("topic"), step.get("key"), step.get("timestamp"), step.get("headers", {})
    if not isinstance(topic, str):
        raise CaseError(f"{where}: topic is missing; write a record with a topic, or an object with {_CLOCK_FIELD}")
    if not isinstance(key, str | None):
        raise CaseError(f"{where}: key must be a string or null, not {key!r}")
    if not isinstance(timestamp, int) or isinstance(timestamp, bool):
        raise CaseError(f"{where}: timestamp must be an integer (ms since the epoch), not {timestamp!r}")
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise CaseError(f"{where}: headers must be an object of strings")
    return RecordStep(topic, key, step.get("value"), timestamp, headers)
