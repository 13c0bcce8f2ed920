import threading

import pytest

from eddyline.adapters.kafka.clients import blocking_calls
from eddyline.adapters.kafka.clients.blocking_calls import call_with_timeout, dispose_in_background
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from tests.adapters.kafka.conftest import eventually


def test_a_call_gets_the_timeout_and_its_exception_is_raised() -> None:
    timeouts: list[float] = []
    call_with_timeout("do it", timeouts.append, 3.0)
    assert timeouts == [3.0]

    def fail(_timeout_s: float) -> None:
        raise ZeroDivisionError("of the call")

    with pytest.raises(ZeroDivisionError, match="of the call"):
        call_with_timeout("do it", fail, 3.0)


def test_a_call_that_does_not_return_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking_calls, "_GRACE_S", 0.05)
    released = threading.Event()

    def block(_timeout_s: float) -> None:
        released.wait(30)

    with pytest.raises(BrokerUnavailableError, match="could not commit: the client did not return within 0 s; check that the"):
        call_with_timeout("commit", block, 0.0)
    released.set()


def test_a_client_is_destroyed_in_the_background_although_its_caller_still_refers_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dropped = threading.Event()

    class Timer(threading.Timer):
        def run(self) -> None:
            dropped.wait(120)
            super().run()

    monkeypatch.setattr(threading, "Timer", Timer)
    monkeypatch.setattr(blocking_calls, "_DISPOSAL_DELAY_S", 0.0)
    destroyed_in: list[threading.Thread] = []

    class Client:
        def __del__(self) -> None:
            destroyed_in.append(threading.current_thread())

    client = Client()
    dispose_in_background(client)
    del client
    dropped.set()
    eventually(lambda: bool(destroyed_in))
    assert destroyed_in[0] is not threading.main_thread()
