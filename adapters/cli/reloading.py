"""Reloads flows whose modules change while they run, for development: the command begins again, with its arguments and state.

Another process imports the changed modules first and builds the topologies, so that an error in them stops nothing.
"""

import json
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import typer

from eddyline.adapters.cli.errors import BEGIN_AGAIN, LEFT, UsageError, is_of_user, one_line
from eddyline.adapters.cli.stopping import StoppedError, StopSignals
from eddyline.application.topology.errors import listed

if TYPE_CHECKING:
    from eddyline.adapters.cli.requests import Request
    from eddyline.application.monitoring.run_monitor import RunMonitor
    from eddyline.application.topology.evolution import TopologyDescription

_ANSWER: Final = "_EDDYLINE_CHECKED_BY_RELOAD"
"""The environment variable with the file that receives the topologies; the command ends then, and does not run them."""
_POLL_S: Final = 0.25
_CHECK_S: Final = 60.0


class _Flow(NamedTuple):
    name: str
    engine: str
    topology: "TopologyDescription"


class _RefusedError(Exception):
    """The changed modules cannot be loaded; `step` is what failed."""

    def __init__(self, step: str, text: str) -> None:
        super().__init__(text)
        self.step = step


def with_reload(start: Callable[["Reload | None"], None], files: Sequence[Path], *, wanted: bool, available_now: bool) -> None:
    """Call a function that runs flows; with `wanted`, ask to begin again when modules of the user change while it does.

    A run that fails is not the end then: it begins again after the next change.

    Args:
        start: Loads flows and runs them.
        files: Files besides modules of which a change reloads the flows, whether they exist or not.
        wanted: Whether there is a reload.
        available_now: Whether the run ends by itself.

    Raises:
        UsageError: There would be nothing to reload.
        Exit: The command is to begin again, with the code BEGIN_AGAIN.
    """
    if not wanted:
        start(None)
        return
    if available_now:
        raise UsageError("--reload is for runs without an end; leave it out, or leave out --available-now")
    sys.dont_write_bytecode = True  # the cache takes a change within a second that keeps a file's size for none
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # also in the workers of Spark
    reload = Reload(files)
    try:
        start(reload)
    except Exception as error:
        if isinstance(error, typer.Exit) or not reload.outlives(error):
            raise
        reload.wait(one_line(error))
    if reload.is_requested:
        os.environ[LEFT] = reload.left()
        raise typer.Exit(BEGIN_AGAIN)


class Reload:
    """Watches the modules of the user while flows run, and stops the run when changed ones can go on with its state.

    Args:
        files: Files besides modules that are watched.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._left: Mapping[str, Any] = json.loads(os.environ.pop(LEFT, "null")) or {}
        self._files = _Files([*files, *map(Path, self._left.get("files", ()))], time.time_ns())
        self._flows: dict[str, _Flow] = {}
        self._answer = os.environ.get(_ANSWER)
        self._has_run = self.is_requested = False
        self._server: dict[str, Any] = {}

    def outlives(self, failure: Exception) -> bool:
        """Return whether a failure is no reason to end: the run has begun, or a reload has begun this process."""
        self._files.loaded |= _files_of(failure)
        if self._answer is not None:
            self._write_answer({})
        return self._answer is None and (self._has_run or bool(self._left))

    @property
    def server(self) -> Mapping[str, Any]:
        """The port, the token and the sessions that the server goes on with; empty at first."""
        found: Mapping[str, Any] = self._left.get("server", {})
        return found

    def keep(self, server: Mapping[str, Any]) -> None:
        """Leave these options of the server to the next run."""
        self._server = dict(server)

    def left(self) -> str:
        """Return what is left to the next run."""
        return json.dumps({"server": self._server or dict(self.server), "files": sorted(map(str, self._files.known))})

    def loaded(self, requests: "Sequence[Request]") -> None:
        """Remember flows that are about to run; a process that only checks them writes their topologies and ends.

        Raises:
            UsageError: No file of the user would be watched, or executors have modules of their own.
        """
        from eddyline.application.topology.evolution import described  # noqa: PLC0415 - only this option needs it

        self._flows = {
            request.application_id: _Flow(request.flow.name, request.settings.engine, described(request.topology))
            for request in requests
        }
        for request in requests:
            if request.settings.package is not None:
                raise UsageError(
                    f"--reload has no effect on the modules in the archive '{request.settings.package}', which executors use;"
                    " leave out --package, or --reload"
                )
        if self._answer is not None:
            self._write_answer({name: (*flow[:2], flow.topology.as_json()) for name, flow in self._flows.items()})
            raise typer.Exit
        if not any(path.exists() for path in self._files.watched()):
            names = listed([request.flow.name for request in requests])
            raise UsageError(
                f"--reload watches modules of your own, but these flows are of installed packages: {names}; name your module with"
                " --flows, or leave --reload out"
            )

    def _write_answer(self, flows: Mapping[str, Any]) -> None:
        if self._answer is not None:
            Path(self._answer).write_text(json.dumps({"flows": flows, "files": sorted(map(str, self._files.watched()))}))

    @contextmanager
    def watching(self, signals: StopSignals, stop: Callable[[], None], monitors: "Sequence[RunMonitor | None]") -> Iterator[None]:
        """Watch files in the `with` block.

        Args:
            signals: The signals of the command, after which nothing is reloaded.
            stop: Lets the run end after the current batch; returns at once.
            monitors: Receive why something was not reloaded.
        """
        self._has_run = True
        ending = threading.Event()
        shown = [monitor for monitor in monitors if monitor is not None]
        thread = threading.Thread(target=self._watch, args=(ending, stop, shown), name="reload", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            thread.join()
            self.is_requested = self.is_requested and not signals.received

    def wait(self, failure: str) -> None:
        """Report a failure and wait for a change, after which the command is to begin again; a signal ends it."""
        from eddyline.adapters.cli.run_log import show_error  # noqa: PLC0415 - runs have imported it

        show_error(f"{failure}; the run begins again when a file changes: {_names(self._files.watched())}", step="run")
        try:
            with StopSignals():
                while not self._files.changed():
                    time.sleep(_POLL_S)
        except StoppedError:
            raise typer.Exit(1) from None
        self.is_requested = True

    # --- the thread that watches --------------------------------------------------------------------------------------

    def _watch(self, ending: threading.Event, stop: Callable[[], None], monitors: "Sequence[RunMonitor]") -> None:
        from eddyline.adapters.cli.run_log import show_error, warn  # noqa: PLC0415 - as above
        from eddyline.adapters.cli.screen import message  # noqa: PLC0415 - as above

        changed: set[Path] = set()
        has_failed = False
        while not ending.wait(_POLL_S):
            found = self._files.changed()
            changed |= found
            if found or not changed:
                continue  # a file may be written in parts
            if not has_failed and changed.isdisjoint(self._files.watched()):
                changed.clear()  # a file that no flow imports
                continue
            try:
                for warning in self._check(ending):
                    warn(f"reloading {_names(changed)}: {warning}")
            except _RefusedError as refused:
                has_failed = True
                if ending.is_set() or self._files.changed(changed):
                    continue
                reason = f"cannot reload {_names(changed)}: {refused}"
                show_error(f"{reason}; the running version goes on", step=refused.step, files=sorted(map(str, changed)))
                for monitor in monitors:
                    monitor.not_reloaded(reason)
                changed.clear()
                continue
            if ending.is_set() or self._files.changed(changed):
                continue
            message(f"reloading {_names(changed)}")
            self.is_requested = True
            stop()
            return

    def _check(self, ending: threading.Event) -> list[str]:
        """Build the topologies from the changed files in another process, and compare them with those that run.

        Returns:
            What an operator should know about the changes.

        Raises:
            _RefusedError: They cannot be built, or would not fit the state.
        """
        with TemporaryDirectory(prefix="eddyline-reload-") as folder:
            answer, errors = Path(folder, "topologies.json"), Path(folder, "errors")
            with errors.open("wb") as stream:
                process = subprocess.Popen(  # noqa: S603 - this very command
                    [sys.executable, *sys.orig_argv[1:]],
                    env={**os.environ, _ANSWER: str(answer)},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stream,
                    start_new_session=True,
                )
            deadline = time.monotonic() + _CHECK_S
            try:
                while process.poll() is None and time.monotonic() < deadline:
                    if ending.wait(_POLL_S / 5):
                        raise _RefusedError("import", "the run ends")
            finally:
                process.kill()
                code = process.wait()
            found: dict[str, Any] = json.loads(answer.read_text()) if code >= 0 and answer.exists() else {"files": ()}
            self._files.loaded |= set(map(Path, found["files"]))
            if code:
                lines = errors.read_text(encoding="utf-8", errors="replace").splitlines()
                late = f"their modules were not imported within {_CHECK_S:g} s" if code < 0 else f"exit code {code}"
                error = next((line.removeprefix("error: ") for line in reversed(lines) if line.startswith("error: ")), late)
                raise _RefusedError("import" if code < 0 or error.startswith("cannot import") else "build", error)
        return self._compared(found["flows"])

    def _compared(self, found: Mapping[str, Any]) -> list[str]:
        from eddyline.application.topology.evolution import (  # noqa: PLC0415 - as above
            breaking,
            changes,
            from_json,
            rebuilding,
            way_out,
        )

        warnings = [f"flow '{flow.name}' is gone" for name, flow in self._flows.items() if name not in found]
        for application_id, (name, engine, topology) in found.items():
            before = self._flows.get(application_id)
            if before is None:
                warnings.append(f"flow '{name}' is new")
                continue
            if engine != before.engine:
                raise _RefusedError(
                    "compare",
                    f"flow '{name}' has its state on the engine '{before.engine}', not on '{engine}'; undo the change of the"
                    " engine, or stop the run and move the state with --restore-from",
                )
            of_flow = changes(before.topology, from_json(topology))
            broken = breaking(of_flow)
            if broken:
                what = "; ".join(change.text for change in broken)
                raise _RefusedError("compare", f"the state of flow '{name}' does not fit: {what}. To continue: {way_out(broken)}")
            warnings += [f"{change.text} (flow '{name}')" for change in rebuilding(of_flow)]
        if any(flow.engine == "memory" for flow in self._flows.values()):
            warnings.append("the engine memory keeps no state, so the flow reads its topics from the beginning again")
        return warnings


class _Files:
    """Files that are watched: modules of the user, and the Python files beside them.

    Args:
        others: Files that are watched, too.
        since_ns: A time before the first module was imported; one that was written after it may have changed since.
    """

    def __init__(self, others: Sequence[Path], since_ns: int) -> None:
        self._others, self._since_ns = {path.absolute() for path in others}, since_ns
        self._folders: set[Path] = set()
        self._seen: dict[Path, tuple[int, int] | None] = {}
        self.loaded: set[Path] = set()
        """Modules of the user that another process has imported."""

    @property
    def known(self) -> set[Path]:
        """Files that are watched, also those of modules that are gone."""
        return self._others | self.watched()

    def watched(self) -> set[Path]:
        """Return the files of which a change may reload something."""
        return self._others | self.loaded | self.of_modules()

    @staticmethod
    def of_modules() -> set[Path]:
        """Return the files of the modules of the user that this process has imported."""
        files = (getattr(module, "__dict__", {}).get("__file__") for module in list(sys.modules.values()))
        return {Path(file).absolute() for file in files if isinstance(file, str) and file.endswith(".py") and is_of_user(file)}

    def changed(self, known: set[Path] | None = None) -> set[Path]:
        """Return the files that have changed since the last call; they are added to `known`."""
        watched = self.watched()
        folders = {path.parent for path in watched if path.suffix == ".py"}
        beside = {path: path.parent for folder in folders for path in _python_files(folder)}
        found: set[Path] = set()
        for path in watched | beside.keys() | self._seen.keys():
            now = _stamp(path)
            if path in self._seen:
                has_changed = self._seen[path] != now
            elif beside.get(path) in self._folders:
                has_changed = True
            else:
                has_changed = now is not None and self._since_ns <= now[0] <= time.time_ns()
            self._seen[path] = now
            if has_changed:
                found.add(path)
        self._folders |= folders
        if known is not None:
            known |= found
        return found


def _files_of(failure: BaseException | None) -> set[Path]:
    """Return the files of the user in which a failure has occurred, or a syntax error is."""
    found: set[str] = set()
    while failure is not None:
        found |= {frame.filename for frame in traceback.extract_tb(failure.__traceback__)}
        if isinstance(failure, SyntaxError) and failure.filename is not None:
            found.add(failure.filename)
        failure = failure.__cause__
    return {Path(file).absolute() for file in found if file.endswith(".py") and is_of_user(file)}


def _python_files(folder: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(folder) if entry.name.endswith(".py")]
    except OSError:
        return []


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return when a file was written and its size, None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _names(paths: set[Path]) -> str:
    folder = Path.cwd()
    shown = sorted(str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path) for path in paths)
    return listed(shown)
