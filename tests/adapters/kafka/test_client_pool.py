import pytest

from eddyline.adapters.kafka.clients.pool import ClientPool


class EmptyClient:
    """A client that is false, as a producer without records in flight is: its length is 0."""

    def __len__(self) -> int:
        return 0


def test_a_client_is_taken_once_and_the_longest_idle_one_is_closed_beyond_the_limit() -> None:
    closed: list[str] = []
    pool: ClientPool[str] = ClientPool(limit=2, close=closed.append)
    for number in range(3):
        pool.put(number, f"client {number}")
    assert closed == ["client 0"]
    assert pool.take(1) == "client 1"
    assert pool.take(1) is None
    pool.put(2, "another client 2")
    pool.close_all()
    assert closed == ["client 0", "client 2", "another client 2"]


def test_a_client_without_records_in_flight_is_reused() -> None:
    created: list[EmptyClient] = []

    def create() -> EmptyClient:
        created.append(EmptyClient())
        return created[-1]

    pool: ClientPool[EmptyClient] = ClientPool(limit=2, close=lambda _client: None)
    for _ in range(2):
        with pool.client("key", create) as client:
            assert client is created[0]
    assert len(created) == 1


def test_a_client_is_closed_after_an_error_that_discards_it_and_reused_after_others() -> None:
    closed: list[str] = []
    pool: ClientPool[str] = ClientPool(limit=2, close=closed.append)
    for error in (KeyError, TimeoutError):
        with pytest.raises(error), pool.client("key", lambda: "client", discard_on=TimeoutError):
            raise error
        assert closed == ["client"] * (error is TimeoutError)
    assert pool.take("key") is None
