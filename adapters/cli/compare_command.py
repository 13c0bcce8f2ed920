"""`eddyline compare`: where two topics differ, and how far each has come."""

import json
from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich.table import Table

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.kafka_options import parse_time
from eddyline.adapters.cli.options import (
    Assignments,
    Brokers,
    Config,
    DataDir,
    LogKind,
    Modules,
    SchemaRegistry,
    load_settings,
    log_flags,
    parse_assignments,
    requested,
)
from eddyline.adapters.cli.screen import stdout
from eddyline.adapters.cli.times import utc_time
from eddyline.adapters.container import Container
from eddyline.application.operations.compare import NO_TIME, Comparison, Normalizer, Side, TopicProgress, Until, compare
from eddyline.application.ports.codec import Codec, CodecError, Codecs
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.topic_types import codec_type
from eddyline.application.topology.topology import TopicSpec

_WIDE = 10_000
"""Enough for keys and values to stay on one line where no terminal breaks them."""


def compare_topics(  # noqa: PLR0917 - typer reads options from parameters
    first: Annotated[str, typer.Argument(metavar="TOPIC1", help="A topic of results.")],
    second: Annotated[str, typer.Argument(metavar="TOPIC2", help="The one to compare it with.")],
    flow: Annotated[
        str | None,
        typer.Option("--flow", metavar="FLOW", help="The flow that writes them, in any version: tells what keys and values are."),
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many differences are shown.")] = 20,
    until: Annotated[
        str,
        typer.Option(metavar="PLACE", help="common (as far as both have come), end (all that is there), or a time in ISO 8601."),
    ] = "common",
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    schema_registry: SchemaRegistry = None,
    data_dir: DataDir = None,
    assignments: Assignments = None,
    modules: Modules = None,
    config: Config = None,
) -> None:
    """Compare two topics as tables, the last value of each key counting; exit code 0 where they agree, 1 where they differ.

    What one of them has not reached yet is left out: where their newest timestamps differ, only keys are compared whose last
    record in both is older than the lesser of the two; the others are counted. Both are read to the ends that they have now.
    """
    flags = {**log_flags(log, bootstrap_servers, schema_registry), "data_dir": data_dir}
    if flow is None:
        container = Container(settings=load_settings(parse_assignments(assignments or ()), config, **flags))
        sides = Side(first), Side(second)
    else:
        request = requested(flow, assignments, modules, config, **flags)
        container = Container(settings=request.settings)
        specs = [*request.topology.sink_topics, *request.topology.source_topics]
        version = request.settings.version
        sides = (
            _side(container.codecs(), first, flow, specs, version),
            _side(container.codecs(), second, flow, specs, version),
        )
    found = compare(container.log(), *sides, until=_until(until), limit=limit)
    _show(found)
    raise typer.Exit(0 if found.agree else 1)


def _until(text: str) -> Until:
    return text if text in ("common", "end") else parse_time(text)  # type: ignore[return-value] # mypy does not narrow by `in`


def _side(codecs: Codecs, topic: str, flow: str, specs: Iterable[TopicSpec], version: str | None) -> Side:
    """The topic with the types of the flow's topic that it is, or is a version of. Raises UsageError."""
    named = {spec.name if version is None else spec.name.removesuffix(f"-{version}"): spec for spec in specs}
    base = max((name for name in named if topic == name or topic.startswith(f"{name}-")), key=len, default=None)
    if base is None:
        raise UsageError(f"flow '{flow}' has no topic '{topic}', nor one that this is a version of; it has: {', '.join(named)}")
    key_type, value_type = codec_type(named[base].key_type), codec_type(named[base].value_type)
    return Side(
        topic,
        _form(codecs.for_key(topic, key_type), codecs.for_state(key_type)),
        _form(codecs.for_value(topic, value_type), codecs.for_state(value_type)),
    )


def _form(codec: Codec, plain: Codec) -> Normalizer:
    """What was decoded, as JSON; what cannot be decoded stays as it is."""

    def form(data: bytes, headers: Headers) -> bytes:
        try:
            return plain.encode(codec.decode(data, headers)) or b""
        except CodecError:
            return data

    return form


def _show(found: Comparison) -> None:
    reaches = Table("topic", "records", "keys", "newest", "end offsets", box=None)
    for reach in (found.first, found.second):
        ends = " ".join(map(str, reach.end_offsets))
        reaches.add_row(reach.topic, f"{reach.records:,}", f"{reach.keys:,}", _time(reach.stream_time), ends)
    stdout().print(reaches)
    stdout().print(_counted(found), soft_wrap=True)
    for reach in (found.first, found.second):
        for line in _left_out(reach):
            stdout().print(line, soft_wrap=True)
    if found.differences:
        table = Table("key", "window", found.first.topic, found.second.topic, box=None)
        for difference in found.differences:
            table.add_row(*_key(difference.key), _text(difference.first), _text(difference.second))
        stdout(width=_WIDE).print(table)
    hidden = found.different + found.only_first + found.only_second - len(found.differences)
    if hidden:
        stdout().print(f"… and {hidden:,} more (--limit)", soft_wrap=True)


def _counted(found: Comparison) -> str:
    one, two = found.first.topic, found.second.topic
    told = f"{found.equal:,} equal, {found.different:,} different"
    told += f", {found.only_first:,} only in '{one}', {found.only_second:,} only in '{two}'"
    if found.until == NO_TIME:
        empty = min(found.first, found.second, key=lambda reach: reach.stream_time)
        return f"'{empty.topic}' has no records yet: {found.later:,} keys are not compared"
    if found.until is None:
        return told
    return f"before {_time(found.until)}: {told}; {found.later:,} with later records are not compared"


def _left_out(reach: TopicProgress) -> Iterable[str]:
    for count, what in ((reach.keyless, "without a key"), (reach.unreadable, "that cannot be read")):
        if count:
            yield f"'{reach.topic}' has {count:,} records {what}: these are not compared"


def _key(data: bytes) -> tuple[str, str]:
    """A key and its window, the latter empty where it has none that can be told."""
    try:
        found = json.loads(data)
        window = found["window"]
        bounds = f"{_time(window['start'])} to {_time(window['end'])}"
    except (ValueError, TypeError, KeyError):
        return _text(data), ""
    return _plain(found["key"]), bounds


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(data: bytes | None) -> str:
    if data is None:
        return "-"
    try:
        return data.decode()
    except UnicodeDecodeError:
        return repr(data)


def _time(timestamp: int) -> str:
    """A time of day of UTC; the number itself where no calendar has it."""
    if timestamp < 0:
        return "-"
    try:
        return utc_time(timestamp)
    except OverflowError:
        return str(timestamp)
