"""Checks that what a record puts into stores can be stored, before the next record is taken."""

from collections.abc import Callable
from typing import Any, TypeAlias

from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.state_codecs import state_codecs
from eddyline.application.runtime.task_stores import store_types
from eddyline.application.topology import Topology

_Encode: TypeAlias = Callable[[Any], bytes | None]


class StateCheck:
    """Encodes entries of stores as the engine does when it saves them."""

    def __init__(self, topology: Topology, codecs: Codecs) -> None:
        self._topology, self._codecs = topology, codecs
        self._encoders: dict[str, tuple[_Encode, _Encode]] = {}

    def __call__(self, store: str, change: StoreChange) -> None:
        """Check an entry of a store.

        Raises:
            CodecError: its key or its value cannot be encoded.
        """
        encoders = self._encoders.get(store)
        if encoders is None:
            key, value = state_codecs(store_types(self._topology.stores[store]), self._codecs)
            encoders = self._encoders[store] = (key.encode, value.encode)
        encode_key, encode_value = encoders
        encode_key(change.key)
        encode_value(change.value)
