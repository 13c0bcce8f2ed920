from collections import Counter
from collections.abc import Iterator

from eddyline.application.samples.security.simulator import KNOWN, SITES
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.topology.types import Emit
from eddyline.domain.security import Connection
from tests.samples.simulated import EMITS, SEEDS, run, simulate


@SEEDS
def test_captchas_are_requested_once_from_people_and_from_robots_at_every_action_after_the_fourth(seed: int) -> None:
    events = simulate("captcha", seed=seed)
    actions = Counter(event.key for event in events if event.topic == "actions")
    requests = Counter(output.key for output in run("captcha", events).outputs("captcha-requests"))
    assert requests == {
        browser: (count - 4 if str(browser).startswith("robot") else 1) for browser, count in actions.items() if count >= 5
    }


@SEEDS
@EMITS
def test_infected_hosts_are_found_in_every_window_and_no_others(seed: int, emit: Emit) -> None:
    events = simulate("beaconing", seed=seed, hosts=10, infected=3)
    found = run("beaconing", events, emit=emit).outputs("beacons")
    harmless = {*SITES, *(destination for destination, _ in KNOWN)}
    homes = {(call.key, call.value.destination) for call in _calls(events) if call.value.destination not in harmless}
    assert len(homes) == 3
    assert Counter((output.value.host, output.value.destination) for output in found) == dict.fromkeys(homes, 2)


def _calls(events: list[SimulatedEvent]) -> Iterator[SimulatedEvent]:
    return (event for event in events if isinstance(event.value, Connection))
