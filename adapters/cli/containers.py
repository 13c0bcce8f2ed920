"""The container of a command. The adapters are imported when a command needs them: its help shows at once."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from eddyline.adapters.cli.client_logs import show_client_logs
from eddyline.adapters.settings import Settings

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_FRAMEWORKS: Final = ("fastapi", "starlette", "werkzeug")


def container_for(settings: Settings | None = None, *, connect: bool = True) -> "Container":
    """Return the adapters that the settings choose; the defaults without settings.

    With `connect`, an event log that cannot be reached is an error at once.
    """
    with _without_frameworks():
        from eddyline.adapters.container import Container  # noqa: PLC0415 - see above

    show_client_logs()
    container = Container(settings=settings or Settings())
    if connect:
        container.check_log()
    return container


@contextmanager
def _without_frameworks() -> Iterator[None]:
    """Let the imports of web frameworks in the block fail.

    dependency_injector imports those that are installed, to inject into their handlers. No command does that, and it takes longer
    than all other imports of the container.
    """
    names = [name for name in _FRAMEWORKS if name not in sys.modules]
    sys.modules.update(dict.fromkeys(names))  # type: ignore[arg-type] # None stands for a module that cannot be imported
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
