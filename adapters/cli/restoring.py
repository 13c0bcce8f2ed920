"""Moves the state of a flow from one engine to another before a run (`eddyline run --restore-from`)."""

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eddyline.adapters.cli.checkpoints import MOVED_FILE, checkpoint_of, exported_state, is_moved
from eddyline.adapters.cli.errors import CommandError, UsageError
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.run_log import warn
from eddyline.adapters.cli.screen import counted, message
from eddyline.application.operations.reset import output_topics
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError
from eddyline.application.runtime.progress.task_records import tasks_topic

if TYPE_CHECKING:
    from eddyline.adapters.container import Container
    from eddyline.application.runtime.plan.options import RunOptions

_CURES: Final = "run 'eddyline reset' for the flow to start over, or choose another --version or --application-id"

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
        check_owner(request, container, options)
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


def check_owner(request: Request, container: "Container", options: "RunOptions") -> None:
    """Make sure that no other engine has state of the application, since that engine would write the same results again.

    Raises:
        CommandError: another engine has.
    """
    engine, application_id = request.settings.engine, request.application_id
    left = container.local_state(request.topology, options=options).left()
    if engine == "spark" and is_moved(request, container):
        raise CommandError(
            f"the state in checkpoint '{request.checkpoint}' was moved to the engine local; run the flow with --engine local, or"
            " move its state back with --restore-from changelog"
        )
    if engine != "local" and left is not None and not left.moved_to:
        raise _owned(application_id, "local", "changelogs", engine)
    folder = request.checkpoint
    if engine != "spark" and isinstance(folder, Path) and container.has_checkpoint(folder) and not is_moved(request, container):
        raise _owned(application_id, "spark", f"checkpoint '{folder}'", engine)
    if engine == "local" and left is None and container.log_state().has_results(application_id):
        raise CommandError(
            f"application '{application_id}' has written results to this event log before, but has no state on the engine local:"
            f" it has run on another engine, or its topic '{tasks_topic(application_id)}' was deleted; {_CURES}"
        )
    if engine == "memory":
        _warn_of_results(request, container)


def claim(request: Request, container: "Container", options: "RunOptions") -> None:
    """Make sure that no other engine has taken the application since this run began to start.

    An engine calls it once others can see that it runs: Spark when its checkpoint exists, the local engine when it has tasks. Of
    two that start at the same time, at least one sees the other.

    Raises:
        CommandError: another engine has.
    """
    if request.settings.engine == "spark":
        application = Application(request.application_id)
        try:
            with container.local_folders().locked(application), container.log_state().locked(application):
                pass
        except ApplicationRunningError:
            raise _owned(request.application_id, "local", "changelogs", "spark") from None
    check_owner(request, container, options)


def _owned(application_id: str, owner: str, where: str, engine: str) -> CommandError:
    moves = {"spark": "--restore-from changelog", "local": "--restore-from checkpoint"}
    move = f", move its state with {moves[engine]}" if engine in moves else ""
    return CommandError(
        f"application '{application_id}' belongs to the engine {owner}, which has its state in {where}: run with --engine"
        f" {engine}, it would write all results again; run it with --engine {owner}{move}, or {_CURES}"
    )


def _warn_of_results(request: Request, container: "Container") -> None:
    """Warn that the memory engine, which keeps no state, appends its results to others."""
    log = container.log()
    existing = set(log.topics())
    topics = [topic for topic in output_topics(request.topology) if topic in existing]
    written = [topic for topic, bounds in log.topic_bounds(topics).items() if any(begin < end for begin, end in bounds)]
    if written:
        warn(
            f"topic '{written[0]}' has records already: the engine memory keeps no state, so this run reads its input from the"
            " beginning and appends all results once more; to remove earlier ones, run 'eddyline reset' with --with-output"
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
