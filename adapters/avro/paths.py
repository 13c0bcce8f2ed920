"""The path of the element at which the encoding or decoding of a collection failed.

It is computed from the progress of the iterator after the failure, so that it costs nothing while there is none.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from operator import length_hint
from typing import Any


def index_path(elements: Collection[Any], iterator: Iterator[Any]) -> str:
    """Return the path of the last element that an iterator over a list or tuple returned, as in `[3]`."""
    remaining = length_hint(iterator, -1)
    return "[]" if remaining < 0 else f"[{len(elements) - remaining - 1}]"


def key_path(mapping: Mapping[Any, Any], iterator: Iterator[Any]) -> str:
    """Return the path of the last item that an iterator over the items of a dict returned, as in `['MSFT']`."""
    remaining = length_hint(iterator, -1)
    if remaining < 0:
        return "[]"
    index = len(mapping) - remaining - 1
    return f"[{next(islice(mapping, index, None))!r}]"
