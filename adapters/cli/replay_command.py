"""`eddyline replay`: recorded cases through their topologies, to be compared with another implementation."""

import importlib.util
import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from eddyline.adapters.cli.catalogue import known_flows, open_working_folder
from eddyline.adapters.cli.errors import UsageError, guarded
from eddyline.adapters.cli.java import require_java
from eddyline.adapters.cli.replay.case import Case, CaseError, read_case
from eddyline.adapters.cli.replay.decoding import check_steps
from eddyline.adapters.cli.replay.in_memory import replay_in_memory
from eddyline.adapters.cli.replay.on_spark import replay_on_spark
from eddyline.adapters.cli.replay.result import as_text
from eddyline.adapters.cli.spark_log import spark_output_to
from eddyline.adapters.container import Container
from eddyline.application.flows.flow import Flow, FlowSettingError
from eddyline.application.topology import Topology, TopologyError

DEFAULT_TOPOLOGIES = "tests.conformance.topologies"
"""The module of topologies beside the flows, used where it can be imported."""


def replay(
    context: typer.Context,
    cases: Annotated[list[Path], typer.Argument(metavar="CASE...", help="Case files: a topology, its config, its input.")],
    engine: Annotated[Literal["memory", "spark"], typer.Option(help="What runs the topologies.")] = "memory",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where <case name>.actual.json go; standard output without it.")
    ] = None,
    topologies: Annotated[
        str | None,
        typer.Option(metavar="MODULE", help=f"A module with topologies beside the flows; {DEFAULT_TOPOLOGIES} if there is one."),
    ] = None,
) -> None:
    """Replay recorded cases and write what each topology emits and keeps."""
    if out:
        _refuse_equal_names(cases)
        out.mkdir(parents=True, exist_ok=True)
    flows = known_flows(_modules(topologies))
    replaying = _Replaying(Container(), flows, out)
    by_engine = {"memory": replaying.in_memory, "spark": replaying.on_spark}
    raise typer.Exit(by_engine[engine](cases, traceback=context.find_root().params["traceback"]))


class _Replaying:
    """Replays case files and writes the results; each method gives the exit code."""

    def __init__(self, container: Container, flows: Sequence[Flow], out: Path | None) -> None:
        self._container = container
        self._flows = flows
        self._out = out

    def in_memory(self, paths: Sequence[Path], *, traceback: bool) -> int:
        """One case after the other; a bad one does not keep the others back."""

        def replay_one(path: Path) -> None:
            case = read_case(path)
            self._write(case, replay_in_memory(case, self._topology(case), self._container.codecs()))

        return max(guarded(partial(replay_one, path), traceback=traceback) for path in paths)

    def on_spark(self, paths: Sequence[Path], *, traceback: bool) -> int:
        """The cases of one topology and config share a query; a bad one does not keep the others back."""
        groups: dict[tuple[str, str], list[Case]] = {}
        codes = [guarded(partial(self._sort_in, path, groups), traceback=traceback) for path in paths]

        def replay_group(cases: Sequence[Case]) -> None:
            topology, codecs = self._topology(cases[0]), self._container.codecs()
            documents = replay_on_spark(cases, topology, codecs, self._container.spark_engine)
            for case, document in zip(cases, documents, strict=True):
                self._write(case, document)

        if groups:
            require_java()
            with spark_output_to(Path(tempfile.gettempdir(), f"eddyline-replay-{os.getpid()}-spark.log")) as log:
                codes += [guarded(partial(replay_group, cases), traceback=traceback) for cases in groups.values()]
            _keep_or_remove(log, failed=max(codes) > 0)
        return max(codes)

    def _sort_in(self, path: Path, groups: dict[tuple[str, str], list[Case]]) -> None:
        case = read_case(path)
        if case.wall_clock_ms:
            raise CaseError(f"case '{case.name}': on Spark the wall clock of a case begins at 0; take --engine memory")
        topology = self._topology(case)
        check_steps(case, topology, self._container.codecs())
        groups.setdefault((case.topology, json.dumps(case.config, sort_keys=True)), []).append(case)

    def _topology(self, case: Case) -> Topology:
        flow = next((flow for flow in self._flows if flow.name == case.topology), None)
        if flow is None:
            names = ", ".join(flow.name for flow in self._flows)
            raise CaseError(f"case '{case.name}': topology '{case.topology}' is unknown; there are: {names}")
        try:
            return flow.topology(**case.config)
        except (FlowSettingError, TopologyError) as unfit:
            raise CaseError(f"case '{case.name}': {unfit}") from unfit

    def _write(self, case: Case, document: Mapping[str, Any]) -> None:
        if self._out:
            (self._out / f"{case.name}.actual.json").write_text(as_text(document), encoding="utf-8")
        else:
            typer.echo(as_text(document), nl=False)


def _keep_or_remove(log: Path, *, failed: bool) -> None:
    if failed:
        typer.echo(f"what Spark printed is in {log}", err=True)
    else:
        log.unlink()


def _refuse_equal_names(cases: Sequence[Path]) -> None:
    name, times = Counter(path.stem for path in cases).most_common(1)[0]
    if times > 1:
        raise UsageError(f"{times} cases are named '{name}' and would write the same file; give each its own run and --out")


def _modules(topologies: str | None) -> list[str]:
    """The module that the user names, else the default one where it can be imported."""
    if topologies is not None:
        return [topologies]
    open_working_folder()
    try:
        return [DEFAULT_TOPOLOGIES] if importlib.util.find_spec(DEFAULT_TOPOLOGIES) else []
    except ModuleNotFoundError:
        return []
