"""`eddyline prepare-spark`."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.screen import message
from eddyline.adapters.settings import Settings
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.samples.catalogue import find_flow

_FLOW, _INPUT = "word-count", "text-lines"


def prepare_spark(
    *, again: Annotated[bool, typer.Option("--again", help="Create the archive even if there is one.")] = False
) -> None:
    """Archive Spark's Java classes, so that Spark starts faster.

    Runs a small flow, and keeps the classes that Java has loaded in the user's cache directory, about 170 MB for each version of
    Spark and Java. Later runs find the archive themselves. Where one exists already, nothing is done. Without this
    command, the first run on a local master does the same in the background, unless create.class.archive is false.
    """
    container = container_for()
    container.check_spark()
    file = container.class_archive_file()
    if file.is_file() and not again:
        message(f"the archive of Spark's Java classes exists already: {file}")
        return
    with tempfile.TemporaryDirectory(prefix="eddyline-prepare-") as folder:
        flow, settings = find_flow(_FLOW), Settings(data_dir=Path(folder))
        request = Request(flow, flow.topology(), settings)
        sink = container_for(request.settings).sink()
        sink.create_topic(_INPUT, 1)
        sink.write("prepare-spark", 0, 0, [SinkRecord(_INPUT, None, b'"to be or not to be"', 0)])
        container.create_class_archive(partial(_run, request), again=again)
    message(f"archived Spark's Java classes: {file}")


def _run(request: Request, session: Any) -> None:
    container = container_for(request.settings)
    options = container.options(application_id=request.application_id, flow=request.flow)
    checkpoint = request.checkpoint
    container.spark_engine(request.topology, options=options, checkpoint_dir=checkpoint, session=session).run_available_now()
