"""`eddyline replay`."""

import importlib.util
import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from eddyline.adapters.cli.catalogue import known_flows, open_working_directory
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError, guarded
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.replay.case import LENIENT, Case, CaseError, read_case
from eddyline.adapters.cli.replay.decoding import check_steps
from eddyline.adapters.cli.replay.in_memory import replay_in_memory
from eddyline.adapters.cli.replay.on_spark import replay_on_spark
from eddyline.adapters.cli.replay.result import as_text
from eddyline.adapters.cli.spark_log import spark_output_to
from eddyline.application.flows.flow import Flow, FlowSettingError
from eddyline.application.topology import Topology, TopologyError
from eddyline.application.topology.errors import suggested

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

DEFAULT_TOPOLOGIES = "tests.conformance.topologies"
"""The module with topologies that are not flows, used if it can be imported."""


def replay(
    context: typer.Context,
    cases: Annotated[list[Path], typer.Argument(metavar="CASE", help="JSON files with the fields topology, config and input.")],
    engine: Annotated[Literal["memory", "spark"], typer.Option(help="Replay the cases on this engine.")] = "memory",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write each result to <case>.actual.json in this directory.", show_default="standard output"
        ),
    ] = None,
    topologies: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE",
            help="Find topologies in the FLOWS of this Python module as well as among the flows.",
            show_default=f"{DEFAULT_TOPOLOGIES}, if it exists",
        ),
    ] = None,
) -> None:
    """Replay recorded test cases through their topologies.

    Prints the records that each topology emits and its state stores at the end. If a case fails, the others are still replayed,
    and the exit code is 1.
    """
    if out:
        _refuse_equal_names(cases)
        out.mkdir(parents=True, exist_ok=True)
    replays = _Replays(container_for(), known_flows(_modules(topologies)), out)
    on_engine = {"memory": replays.in_memory, "spark": replays.on_spark}
    raise typer.Exit(on_engine[engine](cases, traceback=context.find_root().params["traceback"]))


class _Replays:
    """Replays case files and writes the results; each method returns the exit code."""

    def __init__(self, container: "Container", flows: Sequence[Flow], out: Path | None) -> None:
        self._container = container
        self._flows = flows
        self._out = out

    def in_memory(self, paths: Sequence[Path], *, traceback: bool) -> int:
        """Replay one case after the other, also after one has failed."""

        def replay_one(path: Path) -> None:
            case = read_case(path)
            self._write(case, replay_in_memory(case, self._topology(case), self._container))

        return max(guarded(partial(replay_one, path), traceback=traceback) for path in paths)

    def on_spark(self, paths: Sequence[Path], *, traceback: bool) -> int:
        """Replay the cases of each topology and config in one query, without those that are malformed."""
        groups: dict[tuple[str, str], list[Case]] = {}
        codes = [guarded(partial(self._add_to_group, path, groups), traceback=traceback) for path in paths]

        def replay_group(cases: Sequence[Case]) -> None:
            documents = replay_on_spark(cases, self._topology(cases[0]), self._container, self._container.spark_engine)
            for case, document in zip(cases, documents, strict=True):
                self._write(case, document)

        if groups:
            self._container.check_spark()
            with spark_output_to(Path(tempfile.gettempdir(), f"eddyline-replay-{os.getpid()}-spark.log")) as log:
                codes += [guarded(partial(replay_group, cases), traceback=traceback) for cases in groups.values()]
            _keep_or_remove(log, failed=max(codes) > 0)
        return max(codes)

    def _add_to_group(self, path: Path, groups: dict[tuple[str, str], list[Case]]) -> None:
        case = read_case(path)
        if case.wall_clock_ms:
            raise CaseError(f"case '{case.name}': initial_wall_clock_ms must be 0 on Spark; replay it with --engine memory")
        topology = self._topology(case)
        check_steps(case, topology, self._container.codecs())
        groups.setdefault((case.topology, json.dumps(case.config, sort_keys=True)), []).append(case)

    def _topology(self, case: Case) -> Topology:
        flow = next((flow for flow in self._flows if flow.name == case.topology), None)
        if flow is None:
            hint = suggested(case.topology, [flow.name for flow in self._flows], "run 'eddyline flows' to list the flows")
            raise CaseError(f"case '{case.name}': unknown topology '{case.topology}'; {hint}")
        settings = {name: value for name, value in case.config.items() if name != LENIENT or LENIENT in flow.settings}
        try:
            return flow.topology(**settings)
        except (FlowSettingError, TopologyError) as invalid:
            raise CaseError(f"case '{case.name}': {invalid}") from invalid

    def _write(self, case: Case, document: Mapping[str, Any]) -> None:
        if self._out:
            (self._out / f"{case.name}.actual.json").write_text(as_text(document), encoding="utf-8")
        else:
            echo(as_text(document), nl=False)


def _keep_or_remove(log: Path, *, failed: bool) -> None:
    if failed:
        echo(f"the output of Spark is in {log}", err=True)
    else:
        log.unlink()


def _refuse_equal_names(cases: Sequence[Path]) -> None:
    name, times = Counter(path.stem for path in cases).most_common(1)[0]
    if times > 1:
        raise UsageError(f"{times} cases have the name '{name}', so that --out would overwrite a result; replay them one by one")


def _modules(topologies: str | None) -> list[str]:
    """Return the module that the user names, else the default one if it can be imported."""
    if topologies is not None:
        return [topologies]
    open_working_directory()
    try:
        return [DEFAULT_TOPOLOGIES] if importlib.util.find_spec(DEFAULT_TOPOLOGIES) else []
    except ModuleNotFoundError:
        return []
