from datetime import date

import pytest

from eddyline.application.samples.simulation import SimulationError
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.domain.trading import DailyPrice

IBM = DailyPrice("IBM", date(2012, 5, 18), 197.97, 198.95, 195.11, 195.88, 7166700)


@pytest.mark.parametrize(
    ("simulation", "message"),
    [
        (Simulation(trades_per_day=3), "trades_per_day is 3; choose 4 or more: a day has an open, a high, a low and a close"),
        (Simulation(out_of_order=-0.1), "out_of_order is -0.1; choose a fraction from 0 to 0.4"),
        (Simulation(late=-1), "late is -1; choose a fraction from 0 to 0.4"),
        (
            Simulation(out_of_order=0.3, late=0.2),
            (
                "out_of_order and late are 0.3 and 0.2, together more than 0.4;"
                " choose smaller fractions: a trade is delayed only if another one overtakes it"
            ),
        ),
        (
            Simulation(out_of_order_ms=0),
            "out_of_order_ms is 0 and late_ms is 60000; choose an out_of_order_ms above 0 and below late_ms",
        ),
        (
            Simulation(out_of_order_ms=60_000),
            "out_of_order_ms is 60000 and late_ms is 60000; choose an out_of_order_ms above 0 and below late_ms",
        ),
    ],
    ids=["trades_per_day", "out_of_order", "late", "both", "no delay", "delays"],
)
def test_the_error_for_a_setting_out_of_range_names_it_and_what_is_allowed(simulation: Simulation, message: str) -> None:
    with pytest.raises(SimulationError) as error:
        list(simulation.trades([IBM]))
    assert str(error.value) == message


def test_the_bounds_of_settings_are_allowed() -> None:
    Simulation(trades_per_day=4, out_of_order=0.2, late=0.2, out_of_order_ms=1, late_ms=2).check()
