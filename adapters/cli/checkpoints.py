"""The checkpoint of a requested flow, as commands need it."""

from typing import TYPE_CHECKING, Any

from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.spark_log import spark_output_to

if TYPE_CHECKING:
    from eddyline.adapters.container import Container
    from eddyline.application.operations.exported_state import ExportedState


def checkpoint_of(request: Request, container: "Container") -> Any:
    """Return where the checkpoint is, with the methods of a path; if it has a URI, this needs Java."""
    return container.checkpoint_location(request.checkpoint, request.spark_log)


def exported_state(request: Request, container: "Container") -> "ExportedState":
    """Return the state of the checkpoint; the output of Spark goes to its log."""
    container.check_spark()
    with spark_output_to(request.spark_log):
        folder = checkpoint_of(request, container)
        return container.export_state(folder, request.topology, request.application_id, request.spark_log)
