"""Decodes the data of a writer's union by their branch."""

from typing import Any, Final

from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.logical_types import logical_type_of
from eddyline.adapters.avro.promotion import Decoder
from eddyline.adapters.avro.writer_schema import NAMED_TYPES, type_of

_CLASSES: Final = {
    "null": type(None),
    "boolean": bool,
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "string": str,
    "bytes": bytes,
    "array": list,
    "map": dict,
}


class UnionDecoder:
    """The decoders of a union's branches.

    The branch of a datum is that of its name if it is a pair of name and datum, else that of its class. `refused` has the reasons
    of the branches that cannot be decoded, `ambiguous` those of branches that have the same class but another logical type.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._by_name: dict[str, Decoder] = {}
        self._by_class: dict[type, Decoder] = {}
        self._branches: dict[type, tuple[Any, bool]] = {}
        self._is_unchanged = True
        self.refused: list[TypeMismatchError] = []
        self.ambiguous: list[TypeMismatchError] = []

    def add(self, branch: Any, decoder: Decoder | None) -> None:
        """Add a branch, with None if its data needs no conversion."""
        self._add(branch, decoder, is_refused=False)

    def refuse(self, branch: Any, error: TypeMismatchError) -> None:
        """Add a branch whose data cannot be decoded."""
        self.refused.append(error)
        self._add(branch, _refusal(error.reason), is_refused=True)

    def decoder(self) -> Decoder | None:
        """Return the decoder of the union; None if its data needs no conversion."""
        if self._is_unchanged:
            return None
        by_name, by_class = self._by_name, self._by_class
        return lambda datum: by_name[datum[0]](datum[1]) if datum.__class__ is tuple else by_class[datum.__class__](datum)

    def _add(self, branch: Any, decoder: Decoder | None, *, is_refused: bool) -> None:
        self._is_unchanged = self._is_unchanged and decoder is None
        if type_of(branch) in NAMED_TYPES:
            self._is_unchanged = False
            self._by_name[branch["name"]] = decoder or unchanged
            return
        kind = _CLASSES[type_of(branch)]
        if kind in self._branches:
            other, other_is_refused = self._branches[kind]
            same_decoder = self._by_class[kind] is (decoder or unchanged) or (is_refused and other_is_refused)
            if not same_decoder and logical_type_of(other) != logical_type_of(branch):
                error = TypeMismatchError(_cannot_distinguish(other, branch), self._path)
                self.ambiguous.append(error)
                decoder = _refusal(error.reason)
        self._branches[kind] = (branch, is_refused)
        self._by_class[kind] = decoder or unchanged


def unchanged(datum: Any) -> Any:
    """Return a datum that needs no conversion."""
    return datum


def _cannot_distinguish(first: Any, second: Any) -> str:
    names = [f"{type_of(branch)} ({logical_type_of(branch) or 'no logical type'})" for branch in (first, second)]
    return f"{' and '.join(names)} cannot be distinguished in a union of the writer's schema"


def _refusal(reason: str) -> Decoder:
    def refuse(_datum: Any) -> Any:
        raise TypeMismatchError(reason)

    return refuse
