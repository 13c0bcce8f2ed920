"""What an operator keeps by key until the next commit, and changes in place although records may be undone."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def updated(kept: dict[K, V], changed: Mapping[K, V]) -> Callable[[], None]:
    """Put entries into a dictionary; return what restores those before, of which none is None."""
    before = {key: kept.get(key) for key in changed}
    kept.update(changed)

    def restore() -> None:
        for key, entry in before.items():
            if entry is None:
                del kept[key]
            else:
                kept[key] = entry

    return restore


class Entries(dict[Any, list[Any]]):
    """Entries by key that many records change together.

    An operator changes the entries in `open`. Those are all entries, if nothing is undone; else copies of the entries that the
    present batch has changed, which `close` keeps.
    """

    def __init__(self, *, copied: bool) -> None:
        super().__init__()
        self.open: dict[Any, list[Any]] = {} if copied else self

    def find(self, key: Any) -> list[Any] | None:
        """Return the entry of a key that is not open, opened; None if there is none."""
        kept = self.get(key)
        if kept is None:
            return None
        entry = self.open[key] = kept[:]
        return entry

    def close(self) -> tuple[Mapping[Any, list[Any]], Callable[[], None]]:
        """Keep the open entries; return them, and what restores those before."""
        changed = dict(self.open)
        self.open.clear()
        return changed, updated(self, changed)
