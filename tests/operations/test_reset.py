"""The order in which a reset removes artifacts, and what it reads from a topology."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from eddyline.application.operations.reset import (
    Outcome,
    has_dynamic_topics,
    intermediate_topics,
    is_writer_of,
    output_topics,
    reset,
)
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, ResettableState
from eddyline.application.topology import Topology, TopologyBuilder

APP = Application("app")


class RecordingState(ResettableState):
    """A system with one artifact; it records the calls."""

    def __init__(self, name: str, calls: list[str], *, running: bool = False) -> None:
        self._name, self._calls, self._running = name, calls, running
        self._artifacts = [Artifact("thing", name, "1 byte")]
        self.found_for: list[Application] = []

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        if self._running:
            raise ApplicationRunningError(f"'{application.id}' is running")
        self._calls.append(f"lock {self._name}")
        yield
        self._calls.append(f"unlock {self._name}")

    def find(self, application: Application) -> Sequence[Artifact]:
        self.found_for.append(application)
        return list(self._artifacts)

    def remove(self, application: Application, artifact: Artifact) -> None:
        del application
        self._calls.append(f"remove {artifact.location}")
        self._artifacts.remove(artifact)


def confirm(_found: Sequence[Artifact]) -> bool:
    return True


def test_all_systems_are_locked_first_and_then_reset_in_the_given_order() -> None:
    calls: list[str] = []
    systems = [RecordingState("one", calls), RecordingState("two", calls)]
    assert reset(systems, APP, confirm) is Outcome.DONE
    assert calls == ["lock one", "lock two", "remove one", "remove two", "unlock two", "unlock one"]
    assert reset(systems, APP, confirm) is Outcome.NOTHING_TO_DO


def test_an_application_that_is_running_in_one_system_is_not_reset_in_any() -> None:
    calls: list[str] = []
    with pytest.raises(ApplicationRunningError):
        reset([RecordingState("one", calls), RecordingState("two", calls, running=True)], APP, confirm)
    assert not [call for call in calls if call.startswith("remove")]


def _choose(key: str, _value: str) -> str:
    return key


def _topology(*, dynamic: bool) -> Topology:
    builder = TopologyBuilder()
    checked = builder.stream("lines", key=str, value=str).through("checked")
    checked.to("done")
    if dynamic:
        checked.to(_choose, name="dynamic")
    return builder.build()


def test_output_topics_include_intermediate_topics_and_no_input_topics() -> None:
    topology = _topology(dynamic=False)
    assert output_topics(topology) == ("checked", "done")
    assert intermediate_topics(topology) == ("checked",)
    assert not has_dynamic_topics(topology)
    assert has_dynamic_topics(_topology(dynamic=True))


@pytest.mark.parametrize(
    ("writer", "ours"),
    [
        ("app-0a1b2c3d", True),
        ("app-a3f0c2de-0000-4000-8000-123456789abc", True),
        ("app-0a1b2c3g", False),
        ("app-redrive", False),
        ("app-v2-0a1b2c3d", False),
        ("app", False),
        ("myapp-0a1b2c3d", False),
    ],
)
def test_a_writer_id_of_the_application_ends_with_a_random_run_id(writer: str, ours: bool) -> None:
    assert is_writer_of("app", writer) is ours


def test_what_was_found_for_the_application_is_confirmed() -> None:
    systems = [RecordingState("one", []), RecordingState("two", [])]
    confirmed: list[Artifact] = []

    def refuse(found: Sequence[Artifact]) -> bool:
        confirmed.extend(found)
        return False

    assert reset(systems, APP, refuse) is not Outcome.DONE
    assert confirmed == [Artifact("thing", "one", "1 byte"), Artifact("thing", "two", "1 byte")]
    assert [system.found_for for system in systems] == [[APP], [APP]]
