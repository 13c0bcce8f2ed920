"""`eddyline compare`."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.table import Table

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import FlowSources, Form, SettingSources, TopicOptions
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.records.hex_dump import text_or_escapes
from eddyline.adapters.cli.screen import WIDE, counted, stdout
from eddyline.adapters.cli.times import parse_time, utc_time
from eddyline.application.operations.compare import NO_TIME, Comparison, Normalizer, Side, TopicProgress, Until, compare
from eddyline.application.ports.codec import Codec, CodecError, Codecs
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.topology.graph import TopicSpec


@dataclass(frozen=True)
class ComparisonOptions(OptionGroup):
    """Options for what is compared, and how much of it is shown."""

    limit: Annotated[int, typer.Option(metavar="ROWS", min=0, help="Show at most this many differences.")] = 20
    tolerance: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Accept numbers in JSON values, or with --flow in all values, that differ by at most this share of the greater "
            "one, such as 1e-9.",
        ),
    ] = 0.0
    until: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="common|end|TIME",
            help="Compare up to the time that both topics have reached (common), all records (end), or the records before a time "
            "in ISO 8601.",
        ),
    ] = "common"


@option_groups
def compare_topics(
    first: Annotated[str, typer.Argument(metavar="TOPIC1", help="The first topic.")],
    second: Annotated[str, typer.Argument(metavar="TOPIC2", help="The topic to compare it with.")],
    *,
    flow: Annotated[
        str | None,
        typer.Option(
            "--flow",
            metavar="FLOW",
            help="Compare decoded keys and values, with the types that this flow declares for the topics, instead of bytes.",
        ),
    ] = None,
    shown: ComparisonOptions,
    form: Form = "text",
    topics: TopicOptions,
    sources: FlowSources,
) -> None:
    """Compare two topics as tables.

    Compares the last value of each key, up to the current end offsets. The exit code is 0 if the topics agree and 1 if they
    differ.

    By default, the command compares the topics up to the progress of both: if their newest timestamps differ, it leaves out, and
    counts, the keys that have a last record at or after the smaller one.
    """
    if flow is None:
        plain = SettingSources(sources.assignments, sources.config)
        container = container_for(plain.settings(topics))
        sides = Side(first), Side(second)
    else:
        request = sources.request(flow, topics)
        container = container_for(request.settings)
        specs = [*request.topology.sink_topics, *request.topology.source_topics]
        version = request.settings.version
        codecs = container.codecs().configured(request.topology.type_choices)
        sides = (_side(codecs, first, flow, specs, version), _side(codecs, second, flow, specs, version))
    found = compare(container.log(), *sides, until=_until(shown.until), limit=shown.limit, tolerance=shown.tolerance)
    if form == "json":
        echo(json.dumps(_as_json(found), ensure_ascii=False))
    else:
        _show(found)
    raise typer.Exit(0 if found.agree else 1)


def _until(text: str) -> Until:
    if text in ("common", "end"):
        return text  # type: ignore[return-value] # mypy does not narrow by `in`
    try:
        return parse_time(text, "--to")
    except UsageError:
        raise UsageError(f"invalid --to '{text}'; choose one of: common, end, or a time such as 2026-03-01T12:00:00") from None


def _side(codecs: Codecs, topic: str, flow: str, specs: Iterable[TopicSpec], version: str | None) -> Side:
    """Return a topic with its types: those of the flow's topic of this name, or of which it is a version.

    Raises:
        UsageError: the flow has no such topic.
    """
    named = {spec.name if version is None else spec.name.removesuffix(f"-{version}"): spec for spec in specs}
    base = max((name for name in named if topic == name or topic.startswith(f"{name}-")), key=len, default=None)
    if base is None:
        raise UsageError(
            f"flow '{flow}' has no topic '{topic}' in any version; its topics are {', '.join(named)} "
            "(without --flow, the command compares bytes)"
        )
    key_type, value_type = codec_type(named[base].key_type), codec_type(named[base].value_type)
    return Side(
        topic,
        _normalizer(codecs.for_key(topic, key_type), codecs.for_state(key_type)),
        _normalizer(codecs.for_value(topic, value_type), codecs.for_state(value_type)),
    )


def _normalizer(codec: Codec, plain: Codec) -> Normalizer:
    """Return a function that decodes bytes and encodes them as JSON; bytes that cannot be decoded stay as they are."""

    def normalized(data: bytes, headers: Headers) -> bytes:
        try:
            return plain.encode(codec.decode(data, headers)) or b""
        except CodecError:
            return data

    return normalized


def _as_json(found: Comparison) -> dict[str, Any]:
    """Return a comparison as an object; keys and values are text, as in the table, null where a topic does not have the key."""
    differences = [
        {"key": _text(difference.key), "first": _optional(difference.first), "second": _optional(difference.second)}
        for difference in found.differences
    ]
    numbers = {"equal": found.equal, "different": found.different, "later": found.later}
    only = {"onlyFirst": found.only_first, "onlySecond": found.only_second}
    bound = None if found.until in {None, NO_TIME} else found.until
    topics = {"first": _progress(found.first), "second": _progress(found.second)}
    return {"agree": found.agree, **topics, "to": bound, **numbers, **only, "differences": differences}


def _progress(progress: TopicProgress) -> dict[str, Any]:
    time = None if progress.stream_time == NO_TIME else progress.stream_time
    numbers = {"records": progress.records, "keys": progress.keys, "keyless": progress.keyless, "unreadable": progress.unreadable}
    return {"topic": progress.topic, **numbers, "newest": time, "endOffsets": list(progress.end_offsets)}


def _optional(data: bytes | None) -> str | None:
    return None if data is None else text_or_escapes(data)


def _show(found: Comparison) -> None:
    table = Table("topic", "records", "keys", "newest", "end offsets", box=None)
    for progress in (found.first, found.second):
        ends = " ".join(map(str, progress.end_offsets))
        numbers = (f"{progress.records:,}", f"{progress.keys:,}", _time(progress.stream_time))
        table.add_row(progress.topic, *numbers, ends)
    stdout().print(table)
    stdout().print(_totals(found), soft_wrap=True)
    for progress in (found.first, found.second):
        for line in _not_compared(progress):
            stdout().print(line, soft_wrap=True)
    if found.differences:
        table = Table("key", "window", found.first.topic, found.second.topic, box=None)
        for difference in found.differences:
            table.add_row(*_key_and_window(difference.key), _text(difference.first), _text(difference.second))
        stdout(width=WIDE).print(table)
    hidden = found.different + found.only_first + found.only_second - len(found.differences)
    if hidden:
        stdout().print(f"… and {counted(hidden, 'more difference')} (--limit)", soft_wrap=True)


def _totals(found: Comparison) -> str:
    one, two = found.first.topic, found.second.topic
    totals = f"{found.equal:,} equal, {found.different:,} different"
    totals += f", {found.only_first:,} only in '{one}', {found.only_second:,} only in '{two}'"
    if found.until == NO_TIME:
        empty = min(found.first, found.second, key=lambda progress: progress.stream_time)
        return f"topic '{empty.topic}' has no records yet: {counted(found.later, 'key')} of the other topic not compared"
    if found.until is None:
        return totals
    return f"before {_time(found.until)}: {totals}; not compared: {counted(found.later, 'key')} with later records"


def _not_compared(progress: TopicProgress) -> Iterable[str]:
    for count, what in ((progress.keyless, "without a key"), (progress.unreadable, "that cannot be read")):
        if count:
            yield f"topic '{progress.topic}' has {counted(count, 'record')} {what} (not compared)"


def _key_and_window(data: bytes) -> tuple[str, str]:
    """Return a key and its window, the latter empty if the key has none or is not JSON."""
    try:
        found = json.loads(data)
        if isinstance(found, list):  # as in state
            key, (start, end) = found
        else:
            key, (start, end) = found["key"], (found["window"]["start"], found["window"]["end"])
        bounds = f"{_time(start)} to {_time(end)}"
    except (ValueError, TypeError, KeyError):
        return _text(data), ""
    return _plain(key), bounds


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(data: bytes | None) -> str:
    return "-" if data is None else text_or_escapes(data)


def _time(timestamp: int) -> str:
    return "-" if timestamp < 0 else utc_time(timestamp)
