"""Refuses to build from a checkout whose symbolic links are text files, as a package of it would lack its modules."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_LINKS = ("adapters", "application", "domain")


class LinksHook(BuildHookInterface):  # type: ignore[misc] # hatchling is not typed here
    """Checks the links in `eddyline/` before a wheel is built, an editable one included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raise RuntimeError if a link is no directory."""
        del version, build_data
        broken = [f"eddyline/{name}" for name in _LINKS if not Path(self.root, "eddyline", name).is_dir()]
        if broken:
            raise RuntimeError(
                f"{', '.join(broken)}: no links to folders, since this checkout has symbolic links as text files; clone it with "
                "'git clone -c core.symlinks=true', on Windows with the developer mode on, in place of a zip file"
            )
