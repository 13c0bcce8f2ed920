"""The state that `eddyline state` moves: what the engine of the settings has left, and what its first run begins with."""

from typing import TYPE_CHECKING, Any, Final

from eddyline.adapters.cli.checkpoints import checkpoint_of, exported_state, is_moved
from eddyline.adapters.cli.errors import CommandError, UsageError
from eddyline.adapters.cli.requests import Request
from eddyline.application.ports.resettable_state import Application
from eddyline.application.runtime.progress.log_identity import check_log

if TYPE_CHECKING:
    from eddyline.adapters.container import Container
    from eddyline.application.operations.exported_state import ExportedState

_WAY_OUT: Final = "run 'eddyline reset' for the flow first, or choose another --version or --application-id"


def check_engine(request: Request) -> None:
    """Make sure that the engine keeps state between runs.

    Raises:
        UsageError: it does not.
    """
    if request.settings.engine == "memory":
        raise UsageError("the engine memory keeps no state between runs; move that of --engine spark or of --engine local")


def left_state(request: Request, container: "Container") -> "ExportedState":
    """Return the state that runs of the engine have left.

    Raises:
        CommandError: it was moved to another engine.
        CheckpointError, StateMismatchError, LogMismatchError, ApplicationRunningError: as the engine finds it.
    """
    if request.settings.engine == "local":
        _check_stopped(request, container)
        exported: ExportedState = _local_state(request, container).exported()
        return exported
    if is_moved(request, container):
        raise CommandError(
            f"the state in checkpoint '{request.checkpoint}' was moved to the engine local; export it with --engine local"
        )
    return exported_state(request, container)


def check_beginning(request: Request, container: "Container", exported: "ExportedState") -> None:
    """Make sure that the first run of the application can begin with exported state.

    Raises:
        CommandError: the application has state already.
        ExportedStateError: the flow would misread the state.
        LogMismatchError: its positions belong to another log.
        ApplicationRunningError: the application is running.
    """
    is_local = request.settings.engine == "local"
    if is_local:
        _check_stopped(request, container)
    application = f"application '{request.application_id}'"
    if container.has_checkpoint(checkpoint_of(request, container)) and not (is_local and is_moved(request, container)):
        raise CommandError(f"{application} has state on the engine spark, in checkpoint '{request.checkpoint}'; {_WAY_OUT}")
    left = _local_state(request, container).left()
    if left is not None and (is_local or not left.moved_to):
        raise CommandError(f"{application} has state on the engine local, in its changelogs; {_WAY_OUT}")
    exported.changes_to(request.topology)
    log = container.log()
    present = log.identity(sorted(set(exported.log.topics).intersection(log.topics())))
    check_log(exported.log, present, exported.application_id)


def begin_with(request: Request, container: "Container", exported: "ExportedState") -> None:
    """Let the first run of the application begin with exported state.

    Raises:
        CheckpointError, StateMismatchError, ExportedStateError, LogMismatchError, ApplicationRunningError: from the engine.
    """
    if request.settings.engine == "local":
        _local_state(request, container).begin_with(exported)
    else:
        folder = checkpoint_of(request, container)
        container.import_state(folder, request.application_id, request.topology, exported)


def _local_state(request: Request, container: "Container") -> Any:
    options = container.options(application_id=request.application_id, flow=request.flow)
    return container.local_state(request.topology, options=options)


def _check_stopped(request: Request, container: "Container") -> None:
    for system in (container.local_folders(), container.log_state()):
        with system.locked(Application(request.application_id)):
            pass
