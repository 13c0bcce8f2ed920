"""The chunks of a task are kept in Spark's state: the header in a value state, the chunks in a map state."""

from typing import Any

import pytest

from eddyline.adapters.spark.state.chunk_store import SparkChunkStore
from tests.adapters.spark.state.handle import MemoryHandle


@pytest.fixture
def handle() -> MemoryHandle:
    return MemoryHandle()


@pytest.fixture
def store(handle: Any) -> SparkChunkStore:
    return SparkChunkStore(handle)


def test_header_and_chunks_have_the_names_and_types_of_checkpoints(store: SparkChunkStore, handle: MemoryHandle) -> None:
    del store
    assert handle.types == {"header": ["struct<bytes:binary>"], "chunks": ["struct<number:bigint>", "struct<bytes:binary>"]}


def test_the_header_is_none_until_it_is_set(store: SparkChunkStore, handle: MemoryHandle) -> None:
    assert store.header() is None
    store.set_header(b"first")
    store.set_header(b"head")
    assert (store.header(), handle.header.row) == (b"head", (b"head",))


def test_chunks_are_put_read_and_removed_by_number(store: SparkChunkStore, handle: MemoryHandle) -> None:
    store.put_chunk(3, b"three")
    store.put_chunk(4, b"four")
    assert store.chunk(3) == b"three"
    store.remove_chunk(3)
    assert handle.chunks.rows == {(4,): (b"four",)}


def test_bytes_come_as_bytes_even_if_spark_has_bytearrays(store: SparkChunkStore, handle: MemoryHandle) -> None:
    handle.header.row, handle.chunks.rows = (bytearray(b"head"),), {(1,): (bytearray(b"one"),)}
    assert [type(data) for data in (store.header(), store.chunk(1))] == [bytes, bytes]


def test_a_missing_chunk_is_an_error_with_a_fix(store: SparkChunkStore) -> None:
    with pytest.raises(LookupError) as error:
        store.chunk(7)
    assert str(error.value) == (
        "chunk 7 of the state is missing, so the checkpoint is damaged; reset the flow to reprocess its topics from the beginning"
    )
