"""Pickles values for the workers, with the functions and classes of scripts and notebooks."""

import copyreg
import dataclasses
import io
from typing import Any

from pyspark import cloudpickle


def pickled(value: Any) -> bytes:
    """Return a value as pickled by cloudpickle, for `cloudpickle.loads`.

    Functions and classes that workers cannot import, such as those of `__main__`, are pickled with their definitions,
    but without what msgspec has kept in such a class since it first decoded values of it. That cannot be pickled.

    Raises:
        pickle.PicklingError: If a value cannot be pickled; for some types, TypeError.
    """
    buffer = io.BytesIO()
    _Pickler(buffer).dump(value)  # type: ignore[no-untyped-call]
    return buffer.getvalue()


class _Pickler(cloudpickle.CloudPickler):
    def reducer_override(self, obj: Any) -> Any:
        reduced = super().reducer_override(obj)  # type: ignore[no-untyped-call]
        if isinstance(obj, type) and "__msgspec_cache__" in vars(obj) and isinstance(reduced, tuple):
            attributes, _slots = reduced[2]
            attributes.pop("__msgspec_cache__", None)
        return reduced


def _missing(_value: object) -> str:
    """Return the name under which `dataclasses.MISSING` is pickled.

    A dataclass of `__main__` is pickled with its fields. Those without a default have this object, and nothing equal to it.
    """
    return "MISSING"


copyreg.pickle(type(dataclasses.MISSING), _missing)
