"""The scheduler runs one thread at a time, in virtual time, and kills and pauses processes."""

from tests.simulation.scheduler import Event, Process, Scheduler


def _order(seed: int) -> list[str]:
    scheduler, order = Scheduler(seed), list[str]()
    process = Process(scheduler, "p")

    def run(name: str) -> None:
        for _ in range(3):
            order.append(name)
            scheduler.sleep(1.0)

    for name in "abcd":
        process.spawn(lambda name=name: run(name))  # type: ignore[misc]
    scheduler.run(lambda: not process.threads, 100.0)
    assert scheduler.now == 3.0
    return order


def test_the_seed_decides_which_of_the_threads_that_are_due_continues() -> None:
    assert _order(1) == _order(1)
    assert len({tuple(_order(seed)) for seed in range(5)}) == 5
    assert sorted(_order(1)) == sorted("abcd" * 3)


def test_a_killed_process_runs_nothing_but_finally() -> None:
    scheduler, seen = Scheduler(0), list[str]()
    process = Process(scheduler, "p")

    def run() -> None:
        try:
            scheduler.sleep(5.0)
            seen.append("slept")
        except Exception:  # noqa: BLE001 - that is what is tested
            seen.append("caught")
        finally:
            seen.append("finally")

    thread = process.spawn(run)
    scheduler.at(1.0, process.kill)
    scheduler.run(lambda: thread.ended.is_set, 100.0)
    assert (seen, scheduler.now) == (["finally"], 1.0)


def test_a_paused_process_continues_later_and_others_do_not_wait_for_it() -> None:
    scheduler, woke = Scheduler(0), dict[str, float]()
    processes = {name: Process(scheduler, name) for name in "ab"}

    def run(name: str) -> None:
        scheduler.sleep(1.0)
        woke[name] = scheduler.now

    for name, process in processes.items():
        process.spawn(lambda name=name: run(name))  # type: ignore[misc]
    scheduler.at(0.5, lambda: processes["a"].pause(9.5))
    scheduler.run(lambda: len(woke) == 2, 100.0)
    assert woke == {"b": 1.0, "a": 10.0}


def test_an_event_wakes_those_who_wait_and_a_timeout_the_others() -> None:
    scheduler, found = Scheduler(0), list[tuple[bool, float]]()
    process, event = Process(scheduler, "p"), Event(scheduler)

    def run(timeout_s: float) -> None:
        found.append((event.wait(timeout_s), scheduler.now))

    for timeout_s in (1.0, 9.0):
        process.spawn(lambda timeout_s=timeout_s: run(timeout_s))  # type: ignore[misc]
    scheduler.at(2.0, event.set)
    scheduler.run(lambda: len(found) == 2, 100.0)
    assert found == [(False, 1.0), (True, 2.0)]
