"""What a reset knows of a topology, and in which order it takes things away."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from eddyline.application.operations.resetting import Outcome, chooses_topics, is_writer_of, outputs, read_back, reset
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, ResettableState
from eddyline.application.topology import Topology, TopologyBuilder

APP = Application("app")


class Place(ResettableState):
    """Notes what is asked of it."""

    def __init__(self, name: str, told: list[str], *, runs: bool = False) -> None:
        self._name, self._told, self._runs = name, told, runs
        self._left = [Artifact("thing", name, "1 byte")]

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        if self._runs:
            raise ApplicationRunningError(f"'{application.id}' is running")
        self._told.append(f"hold {self._name}")
        yield
        self._told.append(f"let go of {self._name}")

    def find(self, application: Application) -> Sequence[Artifact]:
        del application
        return list(self._left)

    def remove(self, application: Application, artifact: Artifact) -> None:
        del application
        self._told.append(f"remove {artifact.location}")
        self._left.remove(artifact)


def agreed(_found: Sequence[Artifact]) -> bool:
    return True


def test_all_places_are_held_before_the_first_thing_goes_and_the_first_place_is_emptied_first() -> None:
    told: list[str] = []
    places = [Place("one", told), Place("two", told)]
    assert reset(places, APP, agreed) is Outcome.DONE
    assert told == ["hold one", "hold two", "remove one", "remove two", "let go of two", "let go of one"]
    assert reset(places, APP, agreed) is Outcome.CLEAN


def test_where_the_application_runs_in_one_place_nothing_goes_in_any() -> None:
    told: list[str] = []
    with pytest.raises(ApplicationRunningError):
        reset([Place("one", told), Place("two", told, runs=True)], APP, agreed)
    assert not [line for line in told if line.startswith("remove")]


def _choose(key: str, _value: str) -> str:
    return key


def _topology(*, chosen: bool) -> Topology:
    builder = TopologyBuilder()
    checked = builder.stream("lines", key=str, value=str).through("checked")
    checked.to("done")
    if chosen:
        checked.to(_choose, name="chosen")
    return builder.build()


def test_outputs_are_told_from_inputs_and_those_that_are_read_back_from_both() -> None:
    topology = _topology(chosen=False)
    assert outputs(topology) == ("checked", "done")
    assert read_back(topology) == ("checked",)
    assert not chooses_topics(topology)
    assert chooses_topics(_topology(chosen=True))


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
def test_writers_are_told_by_the_random_end_of_their_names(writer: str, ours: bool) -> None:
    assert is_writer_of("app", writer) is ours
