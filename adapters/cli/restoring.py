"""Moves the state of a flow from one engine to another before a run (`eddyline run --restore-from`)."""

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eddyline.adapters.cli.checkpoints import MOVED_FILE, checkpoint_of, exported_state, is_moved
from eddyline.adapters.cli.errors import CommandError, UsageError
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.screen import counted, message

if TYPE_CHECKING:
    from eddyline.adapters.container import Container
    from eddyline.application.runtime.options import RunOptions

RestoreFrom: TypeAlias = Literal["changelog", "checkpoint"]

_ENGINE_OF: Final = {"changelog": "spark", "checkpoint": "local"}


def restore(request: Request, container: "Container", options: "RunOptions", source: RestoreFrom | None) -> None:
    """Move the state that the other engine has left, if it was not moved yet.

    Raises:
        UsageError: the engine does not begin with such state.
        CommandError: the run would continue from state that was moved to another engine, or there is none to move.
        StateMismatchError: likewise, as the engine local finds it.
    """
    engine = request.settings.engine
    if source is None:
        if engine == "spark":
            _check_not_moved(request, container)
        return
    if engine != _ENGINE_OF[source]:
        raise UsageError(
            f"--restore-from {source} is for --engine {_ENGINE_OF[source]}, not {engine}: the engine local leaves changelogs, and"
            " the engine spark leaves a checkpoint"
        )
    if source == "changelog":
        _to_spark(request, container, options)
    else:
        _to_local(request, container, options)


def _check_not_moved(request: Request, container: "Container") -> None:
    if is_moved(request, container):
        raise CommandError(
            f"the state in checkpoint '{request.checkpoint}' was moved to the engine local; run the flow with --engine local, or"
            " move its state back with --restore-from changelog"
        )


def _to_spark(request: Request, container: "Container", options: "RunOptions") -> None:
    state = container.local_state(request.topology, options=options)
    left = state.left()
    if left is not None and left.moved_to == "spark":
        message(f"the state of application '{request.application_id}' was moved before; continuing from its checkpoint")
        return
    exported = state.exported()
    container.replace_state(checkpoint_of(request, container), request.application_id, request.topology, exported)
    state.mark_moved("spark")
    message(f"moved {counted(exported.entries, 'entry', 'entries')} from the changelogs to checkpoint '{request.checkpoint}'")


def _to_local(request: Request, container: "Container", options: "RunOptions") -> None:
    state = container.local_state(request.topology, options=options)
    left = state.left()
    if left is not None and not left.moved_to:
        message(f"the state of application '{request.application_id}' was moved before; continuing from its changelogs")
        return
    folder = checkpoint_of(request, container)
    if not folder.exists():
        raise CommandError(
            f"there is no checkpoint '{request.checkpoint}' to continue from; run the flow with --engine spark first, or without"
            " --restore-from"
        )
    exported = exported_state(request, container)
    (folder / MOVED_FILE).write_text("")
    state.replace(exported)
    message(f"moved {counted(exported.entries, 'entry', 'entries')} from checkpoint '{request.checkpoint}' to the changelogs")
