"""The container of a command. The adapters are imported when a command needs them: its help shows at once."""

from typing import TYPE_CHECKING

from eddyline.adapters.cli.client_logs import show_client_logs
from eddyline.adapters.settings import Settings

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


def container_for(settings: Settings | None = None, *, connect: bool = True) -> "Container":
    """Return the adapters that the settings choose; the defaults without settings.

    With `connect`, an event log that cannot be reached is an error at once.
    """
    from eddyline.adapters.container import Container  # noqa: PLC0415 - see above

    show_client_logs()
    container = Container(settings=settings or Settings())
    if connect:
        container.check_log()
    return container
