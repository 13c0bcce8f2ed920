"""The codecs of the entries of state stores, as they are saved and written to changelogs."""

from typing import NamedTuple

from eddyline.application.ports.codec import Codec, Codecs
from eddyline.application.runtime.encoding import StateKeyCodec
from eddyline.application.runtime.topic_types import codec_type


class StateCodecs(NamedTuple):
    """The codecs of the keys and values of a store's changes."""

    key: StateKeyCodec
    value: Codec


def state_codecs(types: tuple[object, object], codecs: Codecs) -> StateCodecs:
    """Return the codecs of a store.

    Args:
        types: The types of keys and values, as `store_types` and `Task.state_types` return them.
        codecs: The codecs of the flow.
    """
    key_type, value_type = map(codec_type, types)
    return StateCodecs(StateKeyCodec(codecs.for_state(key_type), key_type), codecs.for_state(value_type))
