"""Generators of records that every event log must be able to store."""

import json

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from eddyline.application.ports.event_sink import SinkRecord

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("base64"), inner, max_size=3),
    max_leaves=8,
)


def _json_texts() -> SearchStrategy[bytes]:
    layouts = st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}])
    return st.builds(lambda value, layout: json.dumps(value, **layout).encode(), _JSON, layouts)


contents: SearchStrategy[bytes] = st.binary(max_size=40) | st.text(max_size=20).map(str.encode) | _json_texts()


def headers_without(unnameable: str) -> SearchStrategy[tuple[tuple[str, bytes | None], ...]]:
    names = st.text(st.characters(codec="utf-8", exclude_characters=unnameable), max_size=8)
    return st.lists(st.tuples(names, st.none() | contents), max_size=3).map(tuple)


any_headers = headers_without("")


def records(topic: str, earliest: int = 0, unnameable: str = "") -> SearchStrategy[list[SinkRecord]]:
    timestamps = st.integers(earliest, 2_000_000_000_000)
    keys_and_values = st.none() | contents
    return st.lists(
        st.builds(
            SinkRecord, st.just(topic), keys_and_values, keys_and_values, timestamps, headers_without(unnameable), st.none()
        ),
        max_size=8,
    )
