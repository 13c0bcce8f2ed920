"""The keys of the entries of a store that have changed."""

from typing import TypeVar

K = TypeVar("K")


class ChangedKeys(dict[K, bool]):
    """The keys of entries that have changed since their changes were drained, and whether there was an entry then.

    With `omits_short_lived`, an entry that was put and removed since then has not changed.
    """

    omits_short_lived = False

    def note_put(self, key: K, *, replaces: bool) -> None:
        """Note that an entry was put, which replaces one or not."""
        if key not in self:
            self[key] = replaces

    def note_removed(self, key: K) -> None:
        """Note that an entry was removed."""
        if not self.omits_short_lived or self.pop(key, True):
            self[key] = True
