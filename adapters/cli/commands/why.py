"""`eddyline why`."""

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import ApplicationOptions, FlowName, FlowSources, Form, StateOptions, TopicOptions

if TYPE_CHECKING:
    from eddyline.adapters.cli.requests import Request
    from eddyline.application.ports.event_log import Position

_POSITION = re.compile(r"(\d+):(\d+)")


@dataclass(frozen=True)
class EntryOptions(OptionGroup):
    """Options that choose an entry of a state store instead of a record."""

    store: Annotated[str | None, typer.Option("--store", metavar="STORE", help="Explain an entry of this state store.")] = None
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="KEY", help="The key of the entry: text, or JSON if the type of the keys is not str."),
    ] = None
    window_start: Annotated[
        str | None,
        typer.Option(
            "--window-start", metavar="TIME", help="The start of the window of the entry.", show_default="the latest window"
        ),
    ] = None


@dataclass(frozen=True)
class LogAndStateOptions(TopicOptions, StateOptions):
    """Options for the log that is replayed, and for the state with the batches of the flow."""


@dataclass(frozen=True)
class AnswerOptions(OptionGroup):
    """How the answer is found and shown."""

    everything: Annotated[
        bool, typer.Option("--full", help="Show every input record, whole values, and the buffers of operators, too.")
    ] = False
    form: Form = "text"
    max_records: Annotated[
        int, typer.Option(metavar="RECORDS", min=1, help="Replay at most this many records to find the inputs.")
    ] = 1_000_000


@option_groups
def why(
    flow: FlowName,
    topic: Annotated[
        str | None,
        typer.Argument(metavar="TOPIC", help="A topic that the flow writes or reads; without it the only one that it writes."),
    ] = None,
    position: Annotated[
        str | None, typer.Argument(metavar="PARTITION:OFFSET", help="The record in the topic, for example 0:7.")
    ] = None,
    *,
    entry: EntryOptions,
    answer: AnswerOptions,
    log: LogAndStateOptions,
    application: ApplicationOptions,
    sources: FlowSources,
) -> None:
    """Show which input records a result was made of.

    Replays the flow in memory, without writing anything, and lists the input records of a result with the state before and after
    each of them. Given a record of an input topic, it shows what became of it: its results, or why there are none.

    The inputs are tested: replayed alone they give the same result, and without any one of them they do not, unless it is marked
    as neutral. The exit code is 1 if no replay gives the result.
    """
    from eddyline.adapters.cli.answers.why import AnswerView
    from eddyline.adapters.cli.containers import container_for
    from eddyline.adapters.cli.printable import echo
    from eddyline.application.lineage.documents import Documents
    from eddyline.application.lineage.limits import Limits

    request = sources.request(flow, log, application)
    subject = _subject(request, topic, position, entry)
    container = container_for(request.settings)
    codecs = container.codecs()
    lineage = container.lineage(
        topology=request.topology,
        application_id=request.application_id,
        flow=request.flow,
        limits=Limits(records=answer.max_records),
    )
    documents = Documents(request.topology, codecs)
    found: Any
    if subject is None:
        found = documents.explanation(lineage.explain_entry(entry.store or "", _key(request, codecs, entry), _start(entry)))
    elif request.topology.source_topic(subject.topic) is not None and not _is_written(request, subject.topic):
        found = documents.fate(lineage.explain_missing(subject))
    else:
        found = documents.explanation(lineage.explain_output(subject))
    if answer.form == "json":
        echo(json.dumps(found, ensure_ascii=False))
    else:
        view = AnswerView(everything=answer.everything)
        (view.fate if "steps" in found else view.explanation)(found)
    if not found.get("found", True):
        raise typer.Exit(1)


def _subject(request: "Request", topic: str | None, position: str | None, entry: EntryOptions) -> "Position | None":
    """Return the record that is asked for, None for an entry of a store."""
    from eddyline.adapters.cli.errors import UsageError
    from eddyline.application.ports.event_log import Position

    if entry.store is not None:
        if topic is not None:
            raise UsageError("give either a record or --store with --key, not both")
        if entry.key is None:
            raise UsageError("--store needs the key of an entry; give it with --key")
        return None
    if entry.key is not None or entry.window_start is not None:
        raise UsageError("--key and --window-start need a state store; give it with --store")
    if topic is not None and position is None and _POSITION.fullmatch(topic):
        topic, position = _only_topic(request), topic
    if topic is None or position is None:
        raise UsageError("no record given; give TOPIC and PARTITION:OFFSET, for example 0:7, or --store with --key")
    _check_topic(request, topic)
    found = _POSITION.fullmatch(position)
    if found is None:
        raise UsageError(f"invalid position '{position}'; write it as PARTITION:OFFSET, for example 0:7")
    return Position(topic, int(found[1]), int(found[2]))


def _check_topic(request: "Request", topic: str) -> None:
    from eddyline.adapters.cli.errors import UsageError
    from eddyline.application.lineage.paths import writers_of
    from eddyline.application.topology.errors import suggested

    topology = request.topology
    if topology.source_topic(topic) is None and not writers_of(topology, topic):
        known = dict.fromkeys(spec.name for spec in (*topology.sink_topics, *topology.source_topics))
        raise UsageError(f"flow '{request.flow.name}' neither writes nor reads topic '{topic}'; {suggested(topic, known)}")


def _only_topic(request: "Request") -> str:
    from eddyline.adapters.cli.errors import UsageError

    written = [spec.name for spec in request.topology.sink_topics]
    if len(written) != 1:
        raise UsageError(f"flow '{request.flow.name}' writes {', '.join(written) or 'no topic by name'}; name the TOPIC")
    return written[0]


def _is_written(request: "Request", topic: str) -> bool:
    return any(spec.name == topic for spec in request.topology.sink_topics)


def _key(request: "Request", codecs: Any, entry: EntryOptions) -> Any:
    """Return the key as a value of the type that the store's keys have."""
    from eddyline.adapters.cli.errors import UsageError
    from eddyline.application.runtime.plan.topic_types import codec_type

    spec = request.topology.stores.get(entry.store or "")
    key_type: Any = str if spec is None else codec_type(spec.key_type)
    text = entry.key or ""
    if key_type is str:
        return text
    try:
        return codecs.for_display(key_type).decode(text.encode())
    except ValueError as error:
        if key_type is Any:
            return text
        raise UsageError(f"invalid --key '{text}'; write it as JSON of a key of store '{entry.store}': {error}") from None


def _start(entry: EntryOptions) -> int | None:
    from eddyline.adapters.cli.times import parse_time

    return None if entry.window_start is None else parse_time(entry.window_start, "--window-start")
