"""Partitions are chosen as by Kafka's default partitioner."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan import partitioner
from eddyline.application.runtime.plan.partitioner import (
    LONGEST_CACHED_KEY,
    Partitions,
    murmur2,
    partition_for,
    partitions_of,
    spread,
)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("21", -973932308),
        ("foobar", -790332482),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        ("abc", 479470107),
        ("", 275646681),
    ],
)
def test_the_hash_is_that_of_kafkas_java_client(key: str, expected: int) -> None:
    assert murmur2(key.encode()) == expected


def test_the_sign_bit_of_the_hash_is_ignored() -> None:
    assert partition_for(b"21", 1_000_000) == (-973932308 & 0x7FFFFFFF) % 1_000_000


@given(st.binary(), st.integers(1, 1000))
def test_every_key_has_one_of_the_partitions(key: bytes, partitions: int) -> None:
    assert 0 <= partition_for(key, partitions) < partitions


@given(st.lists(st.sampled_from([None, b"a", b"b", b"c"])), st.integers(0, 10))
def test_records_are_spread_completely_and_in_order(keys: list[bytes | None], turn: int) -> None:
    records = [SinkRecord("t", key, b"%d" % number, 0) for number, key in enumerate(keys)]
    spread_out = spread(records, lambda _: 3, turn=turn)
    assert sorted((record for rows in spread_out.values() for record in rows), key=records.index) == records
    assert all(rows == sorted(rows, key=records.index) for rows in spread_out.values())


def test_records_without_a_key_are_spread_round_robin_in_each_topic() -> None:
    records = [SinkRecord("t", None, None, 0), SinkRecord("u", None, None, 0), SinkRecord("t", None, None, 0)]
    assert set(spread(records, {"t": 3, "u": 2}.__getitem__, turn=5)) == {("t", 2), ("u", 1), ("t", 0)}


@given(st.lists(st.binary(max_size=40) | st.binary(min_size=LONGEST_CACHED_KEY, max_size=LONGEST_CACHED_KEY + 9), max_size=80))
def test_the_partitions_of_many_keys_are_those_of_each(keys: list[bytes]) -> None:
    assert Partitions(7).of_all(keys) == [partition_for(key, 7) for key in keys]


def test_the_partitions_of_many_keys_are_cached_in_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitioner, "_CACHED_KEYS", 100)
    partitions = Partitions(5)
    for first in (0, 60, 30, 200):
        keys = [b"%d" % number for number in range(first, first + 60)]
        assert partitions.of_all(keys) == [partition_for(key, 5) for key in keys]
        assert len(partitions) <= 100


def plain_murmur2(data: bytes) -> int:
    """Return the hash word by word, as Kafka's Utils.murmur2 does."""
    mix, bits, words = 0x5BD1E995, 0xFFFFFFFF, len(data) // 4 * 4
    hashed = (0x9747B28C ^ len(data)) & bits
    for start in range(0, words, 4):
        word = (int.from_bytes(data[start : start + 4], "little") * mix) & bits
        word = ((word ^ (word >> 24)) * mix) & bits
        hashed = ((hashed * mix) & bits) ^ word
    if words < len(data):
        hashed = ((hashed ^ int.from_bytes(data[words:], "little")) * mix) & bits
    hashed = ((hashed ^ (hashed >> 13)) * mix) & bits
    hashed ^= hashed >> 15
    return hashed - (1 << 32) if hashed & 0x80000000 else hashed


@given(st.binary(max_size=300), st.integers(0, 3))
def test_long_keys_have_the_same_hash_in_blocks_as_word_by_word(key: bytes, more: int) -> None:
    assert murmur2(key) == plain_murmur2(key)
    long = key * 400 + b"\xff" * more
    assert murmur2(long) == plain_murmur2(long)


@pytest.mark.parametrize("length", [32_764, 32_768, 32_771, 65_536, 65_541])
def test_the_hash_is_exact_at_the_ends_of_blocks(length: int) -> None:
    key = bytes(number * number % 251 for number in range(length))
    assert murmur2(key) == plain_murmur2(key)


def test_only_the_partitions_of_keys_of_moderate_length_are_cached() -> None:
    partitions = partitions_of(7_919)
    short, long = b"s" * LONGEST_CACHED_KEY, b"l" * (LONGEST_CACHED_KEY + 1)
    assert partitions[short] == partition_for(short, 7_919)
    assert partitions[long] == partition_for(long, 7_919)
    assert set(partitions) == {short}


def test_partitions_are_cached_until_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitioner, "_CACHED_KEYS", 3)
    partitions = Partitions(7_907)
    for key in (b"a", b"b", b"c"):
        assert partitions[key] == partition_for(key, 7_907)
    assert set(partitions) == {b"a", b"b", b"c"}
    assert partitions[b"d"] == partition_for(b"d", 7_907)
    assert set(partitions) == {b"d"}


@pytest.mark.parametrize("key", [b"a", b"b", b"c", b"d", b"e", b"f"])
def test_the_partition_is_the_positive_hash_modulo_the_number_of_partitions(key: bytes) -> None:
    assert Partitions(13)[key] == (plain_murmur2(key) & 0x7FFFFFFF) % 13
