"""The checkpoint of a requested flow, as commands need it."""

from typing import TYPE_CHECKING, Any, Final

from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.spark_log import spark_output_to

if TYPE_CHECKING:
    from eddyline.adapters.container import Container
    from eddyline.application.operations.exported_state import ExportedState

MOVED_FILE: Final = "moved-to-local"
"""A file in a checkpoint that the local engine has continued from."""


def checkpoint_of(request: Request, container: "Container") -> Any:
    """Return where the checkpoint is, with the methods of a path; if it has a URI, this needs Java."""
    return container.checkpoint_location(request.checkpoint, request.spark_log)


def is_moved(request: Request, container: "Container") -> bool:
    """Return whether the local engine has continued from the checkpoint, so that Spark must not."""
    found: bool = (checkpoint_of(request, container) / MOVED_FILE).exists()
    return found


def exported_state(request: Request, container: "Container") -> "ExportedState":
    """Return the state of the checkpoint; the output of Spark goes to its log."""
    container.check_spark()
    with spark_output_to(request.spark_log):
        folder = checkpoint_of(request, container)
        return container.export_state(folder, request.topology, request.application_id, request.spark_log)
