"""A checkpoint that several machines can reach is used by the driver that has its lease, which a dead driver loses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.spark.driver import lease as lease_module
from eddyline.adapters.spark.driver.lease import Lease, LeaseLostError

LEASE_S = 30.0


class Folder:
    """A directory on a local disk as a path of Hadoop; the functions in `before_write` are called before a file is written."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        self.before_write: list[Callable[[], object]] = []

    def __str__(self) -> str:
        return str(self.path)

    def __truediv__(self, name: str) -> "Folder":
        found = Folder(self.path / name)
        found.before_write = self.before_write
        return found

    def glob(self, pattern: str, /) -> list["Folder"]:
        return [self / path.name for path in self.path.glob(pattern)]

    def read_text(self) -> str:
        return self.path.read_text()

    def write_text(self, text: str, /) -> None:
        while self.before_write:
            self.before_write.pop()()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(text)

    def create_text(self, text: str, /) -> bool:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with self.path.open("x") as file:
                file.write(text)
        except FileExistsError:
            return False
        return True

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


class Time:
    """A clock that moves while somebody sleeps; `events` are what happens then, by the time."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.events: dict[float, Any] = {}

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for at in sorted(at for at in self.events if at <= self.now):
            self.events.pop(at)()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture(autouse=True)
def _on_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each lease be of a machine whose processes cannot be seen."""
    monkeypatch.setattr(lease_module, "_machine", lambda: None)


def leased(folder: Folder, time: Time) -> Lease:
    lease = Lease(folder, LEASE_S, time, time.sleep)
    lease.acquire()
    return lease


def test_a_new_checkpoint_is_leased_at_once(folder: Folder, time: Time) -> None:
    leased(folder, time).check()
    assert time.now == 1_000.0


def test_a_second_driver_is_refused_as_soon_as_it_sees_the_first_one_renew(folder: Folder, time: Time) -> None:
    first = leased(folder, time)
    time.events = {1_010.0: first.renew}
    with pytest.raises(
        LeaseLostError, match=r"is in use by another run, on .*, process \d+; stop that run first; if it is dead, "
    ):
        leased(folder, time)
    assert time.now == pytest.approx(1_010.0, abs=1)
    first.check()


def test_a_lease_that_is_not_renewed_is_taken_over_after_its_duration(folder: Folder, time: Time) -> None:
    first = leased(folder, time)
    time.now += 10
    second = leased(folder, time)
    assert time.now == pytest.approx(1_010.0 + LEASE_S, abs=1)
    second.check()
    for _ in range(2):
        with pytest.raises(LeaseLostError, match="is in use by another run"):
            first.check()
        first.renew()
    second.check()
    first.release()
    second.check()


def test_a_released_lease_is_taken_at_once(folder: Folder, time: Time) -> None:
    leased(folder, time).release()
    leased(folder, time).check()
    assert time.now == 1_000.0


def test_a_dead_driver_of_this_machine_is_not_waited_for(folder: Folder, time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "_machine", lambda: "here")
    leased(folder, time)
    monkeypatch.setattr(lease_module, "_runs", lambda _process: False)
    leased(folder, time).check()
    assert time.now == 1_000.0


def test_a_lease_that_is_renewed_stays_valid(folder: Folder, time: Time) -> None:
    lease = leased(folder, time)
    for _ in range(10):
        time.now += LEASE_S / 3
        lease.renew()
        lease.check()


def test_a_suspended_driver_whose_lease_nobody_has_taken_goes_on_with_a_new_one(folder: Folder, time: Time) -> None:
    lease = leased(folder, time)
    time.now += 10 * LEASE_S
    lease.renew()
    assert numbers(folder) == [1], "an expired lease is not renewed: another driver may be taking it over"
    lease.check()
    assert numbers(folder) == [2]


def test_a_renewal_that_took_too_long_does_not_count(folder: Folder, time: Time) -> None:
    first = leased(folder, time)
    other: list[Lease] = []

    folder.before_write.append(lambda: other.append(leased(folder, time)))
    time.now += LEASE_S - 1
    first.renew()
    other[0].check()
    with pytest.raises(LeaseLostError):
        first.check()


def test_of_two_drivers_that_find_an_expired_lease_one_gets_it(folder: Folder, time: Time) -> None:
    leased(folder, time)
    third: list[Lease] = []
    time.events = {1_000.0 + LEASE_S: lambda: third.append(leased(folder, time))}
    second = Lease(folder, LEASE_S, time, time.sleep)
    second.acquire()  # after the third one, whose lease has expired by then because nobody renews it
    second.check()
    with pytest.raises(LeaseLostError):
        third[0].check()


def test_the_owner_is_named(folder: Folder, time: Time) -> None:
    leased(folder, time)
    content = json.loads((folder.path / "eddyline.lease" / "1").read_text())
    assert "process" in content["owner"]


def numbers(folder: Folder) -> list[int]:
    return sorted(int(path.name) for path in (folder.path / "eddyline.lease").iterdir())
