"""`eddyline package`."""

from pathlib import Path
from typing import Annotated

import typer

from eddyline.adapters.cli.options import Modules


def package(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The archive to create, such as my-flows.tar.gz.")],
    *,
    modules: Modules = None,
    others: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="NAME", help="Add this installed distribution, with what it requires. Can be repeated."),
    ] = None,
) -> None:
    """Create an archive with what executors of a cluster need.

    It has Eddyline, the modules that the flows import, and the installed distributions that they require, but neither Python nor
    PySpark: executors need the same version of both as this machine, and the same kind of processor and operating system.
    'eddyline run --master URL --package FILE' takes the archive along. Modules that are imported only while a flow runs are not
    seen: import them in the module of the flow, or name their distribution with --with.
    """
    from eddyline.adapters.cli.catalogue import known_flows
    from eddyline.adapters.cli.containers import container_for
    from eddyline.adapters.cli.screen import counted, message

    known_flows(modules or ())
    found = container_for(connect=False).create_package(file, others or ())
    names = ", ".join(found.modules) or "no modules of yours"
    size = f"{found.size / 1e6:.0f} MB"
    message(f"created package '{file}', {size}: {names}, eddyline and {counted(len(found.distributions) - 1, 'distribution')}")
