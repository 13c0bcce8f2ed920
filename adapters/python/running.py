"""Runs of flows in Python over given records, as in a notebook: `eddyline.run(flow, source=frame).frame()`."""

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from eddyline.adapters.cli.catalogue import known_flows
from eddyline.adapters.cli.requests import Request, load_settings, topology_of
from eddyline.adapters.container import Container
from eddyline.adapters.python.results import FlowResult
from eddyline.adapters.python.sources import SourceError, is_file, record_maker, records_in, rows_of
from eddyline.adapters.settings import Settings
from eddyline.application.flows.flow import Flow
from eddyline.application.flows.registry import find_flow
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.options import RunStart
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed
from eddyline.application.topology.graph import TopicSpec

if TYPE_CHECKING:
    import pandas as pd

Source: TypeAlias = "pd.DataFrame | Path | str"
"""The records of a topic: a data frame, a file, or the name of a topic."""

Engine: TypeAlias = Literal["local", "spark", "memory"]

_CHUNK: Final = 10_000


def run(
    flow: Flow | Callable[..., None] | str,
    source: "Source | Mapping[str, Source]",
    *,
    engine: Engine = "local",
    flows: str | Sequence[str] = (),
    config: Path | None = None,
    **settings: Any,
) -> FlowResult:
    """Run a flow over the records of data frames, files or topics, and return what it writes.

    Nothing is written anywhere else: results and state live as long as what is returned. The flow may be defined where the
    function is called, as in a notebook, with its functions and dataclasses. It begins without state, and ends with the records
    that the sources have now.

    A source is one of these:

    - A pandas data frame, or what has a method `to_pandas`. The column `key` has the keys, `timestamp` the event times (times, or
      ms since the epoch), and the other columns are the fields of the values. A column `value`, or columns `value.NAME`, are the
      value instead of all others; `key.NAME` are the fields of a key. Without `timestamp`, an index of times counts; without
      that, all records have the time of the call. Missing values are None.
    - A file with such rows: `.csv`, `.parquet`, or `.jsonl` with a JSON object a line.
    - The name of a topic in the event log of the settings, which is read from its beginning to its present end.

    Args:
        flow: The flow, the function that defines its topology, or the name of a flow.
        source: The source, or the source of each topic if the flow reads several.
        engine: The engine: `local` and `memory` run in this process. With `spark`, Spark keeps running for the next call.
        flows: Modules or files with more flows, as `--flows` of the commands.
        config: The settings file; by default `eddyline.toml`, if it exists.
        settings: Settings of the flow, or of Eddyline with underscores for dots: `emit="latest"`, `num_partitions=4`, of which
            data frames and files have 1 by default, `bootstrap_servers="127.0.0.1:9092"`, which implies `log="kafka"`.

    Returns:
        The results, as records, data frames and plots.

    Raises:
        LookupError: The flow, or the topic, is unknown.
        ValueError: A setting is unknown or invalid, or a source is none, or misses.
        OSError: A file or the event log cannot be read.
        MissingExtraError: A library that a source or the engine needs is not installed.
        Exception: What functions of the flow raise, unless an exception handler is set; on Spark as EngineError.
    """
    if engine not in get_args(Engine):
        raise SourceError(f"unknown engine '{engine}'; choose one of: {listed(get_args(Engine))}")
    request = _request(flow, (flows,) if isinstance(flows, str) else flows, config, settings)
    sources = _by_topic(request.topology, source)
    folder = Path(tempfile.mkdtemp(prefix="eddyline-run-")) if engine == "spark" else None
    try:
        result = _run(request, sources, engine, folder)
    except BaseException:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return result


def _request(
    flow: Flow | Callable[..., None] | str, modules: Sequence[str], config: Path | None, given: Mapping[str, Any]
) -> Request:
    if isinstance(flow, str):
        flow = find_flow(flow, known_flows(modules, config))
    elif not isinstance(flow, Flow):
        name = getattr(flow, "__name__", "").strip("_")
        flow = Flow(name.replace("_", "-") if name.isascii() and name.isidentifier() else "flow", "", flow)
    of_flow = {name: value for name, value in given.items() if name in flow.settings}
    others = {"num_partitions": 1, **{name: value for name, value in given.items() if name not in of_flow}}
    if "bootstrap_servers" in others:
        others.setdefault("log", "kafka")
    settings = load_settings({}, config, choices=tuple(flow.settings), **others)
    return Request(flow, topology_of(flow, settings, of_flow), settings)


def _by_topic(topology: Topology, source: Any) -> dict[TopicSpec, Any]:
    """Return the source of each topic that the topology reads."""
    named = {spec.name: spec for spec in topology.source_topics}
    if not isinstance(source, Mapping):
        if len(named) != 1 or topology.source_patterns:
            topics = listed((*named, *topology.source_patterns))
            raise SourceError(f"the flow reads several topics: {topics}; pass a source for each: source={{TOPIC: …}}")
        return {next(iter(named.values())): source}
    found = {}
    for topic, each in source.items():
        spec = topology.source_topic(topic)
        if spec is None:
            topics = listed((*named, *topology.source_patterns))
            raise SourceError(f"the flow does not read topic '{topic}'; it reads: {topics}")
        found[spec] = each
    if missing := sorted(named.keys() - source.keys()):
        raise SourceError(f"topic '{missing[0]}' has no source; pass one for each topic that the flow reads")
    return found


def _run(request: Request, sources: Mapping[TopicSpec, Any], engine: str, folder: Path | None) -> FlowResult:
    topology, application_id = request.topology, request.application_id
    topics = {spec.name: source for spec, source in sources.items() if isinstance(source, str) and not is_file(source)}
    container = Container(settings=_settings_of_run(request.settings, topics, engine, folder))
    _fill(container, request.settings, sources, topics)
    options = container.options(application_id=application_id, flow=request.flow)
    report = _report(container, topology, options, folder)
    if report.dead_letters:
        number = report.dead_letters
        text = "1 record became a dead letter" if number == 1 else f"{number:,} records became dead letters"
        warnings.warn(f"{text}; see dead_letters() of the result", stacklevel=3)
    return FlowResult(topology, application_id, container, report, folder)


def _settings_of_run(given: Settings, topics: Mapping[str, str], engine: str, folder: Path | None) -> Settings:
    """Return the settings of a run apart from everything else: its own log, in JSON but for topics that were copied."""
    codecs = {
        f"{part}_codecs": {
            topic: getattr(given, f"{part}_codecs").get(copied, getattr(given, f"default_{part}_codec"))
            for topic, copied in topics.items()
        }
        for part in ("key", "value")
    }
    choices = {
        table: {**entries, **{topic: entries[copied] for topic, copied in topics.items() if copied in entries}}
        for table, entries in (("names", given.names), ("types", given.types))
    }
    windows = {topic: given.window_size_ms[copied] for topic, copied in topics.items() if copied in given.window_size_ms}
    own = {"log": "memory"} if folder is None else {"log": "files", "data_dir": folder, "state_dir": folder / "state"}
    update = {
        **own,
        **codecs,
        **choices,
        "engine": engine,
        "default_key_codec": "json",
        "default_value_codec": "json",
        "window_size_ms": windows,
        "changelog_stores": "all",
        "checkpoint_dir": None,
        "trigger_interval_ms": 0,
    }
    return given.model_copy(update=update)


def _fill(container: Container, given: Settings, sources: Mapping[TopicSpec, Any], topics: Mapping[str, str]) -> None:
    """Write the records of the sources to the log of the run."""
    sink, now_ms, batch = container.sink(), container.clock().now_ms(), 0
    original = Container(settings=given)
    if topics:
        original.check_log()
    for spec, source in sources.items():
        if spec.name in topics:
            sink.create_topic(spec.name, original.log().partitions(source))
            parts: Iterator[Sequence[SinkRecord]] = records_in(original.log(), source, spec.name)
        else:
            sink.create_topic(spec.name, given.num_partitions)
            parts = _chunks(map(record_maker(spec.name, spec.value_type, now_ms), rows_of(source)))
        for records in parts:
            sink.write("eddyline-run", 0, batch, records)
            batch += 1


def _chunks(records: Iterator[SinkRecord]) -> Iterator[Sequence[SinkRecord]]:
    while chunk := list(islice(records, _CHUNK)):
        yield chunk


def _report(container: Container, topology: Topology, options: Any, folder: Path | None) -> RunReport:
    start = RunStart(warn=partial(warnings.warn, stacklevel=6), log_file=(folder or Path()) / "spark.log")
    with closing(container.engine(topology, options=options, start=start)) as engine:
        report: RunReport = engine.runner.run_available_now()
    return report
