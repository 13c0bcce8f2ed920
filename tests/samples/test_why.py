"""`eddyline why` answers for a random result of each sample flow, whose input is simulated as in the live demonstration."""

import random
from collections.abc import Iterator
from datetime import date
from itertools import takewhile

import pytest

from eddyline import Flow
from eddyline.adapters.cli.answers.why import AnswerView
from eddyline.application.lineage.documents import Documents
from eddyline.application.lineage.limits import Limits
from eddyline.application.samples.catalogue import FLOWS, SIMULATORS
from eddyline.application.samples.simulation.events import MINUTE
from eddyline.application.samples.trading.simulator import LIVE_TRADES, Simulation, live_rows, live_trades
from eddyline.domain.trading import DailyPrice, DailyQuote
from tests.lineage.explaining import CODECS, Input, Ran

NOW = 1_800_000_000_000
FEW_TESTS = Limits(tests=1_000)
"""All inputs are replayed alone, but of many, only some are left out one by one."""
DAYS = [
    DailyPrice(ticker, date(2012, 5, day), 5.0, 9.0, 2.0, 4.0 + number * day % 5, 100)
    for day in (18, 21)
    for number, ticker in enumerate(("AAPL", "FB", "GOOG", "IBM", "MSFT"))
]


def live_inputs(flow: str, seed: int) -> Iterator[Input]:
    if flow == "stock-stats":
        return (Input("trades", *trade) for trade in live_trades(Simulation(**LIVE_TRADES, seed=seed), DAYS, lambda: NOW))
    if flow == "top-movers":
        rows = live_rows(DAYS, lambda: NOW)
        return (Input(topic, key, DailyQuote(row["open"], row["close"]), timestamp) for topic, key, row, timestamp in rows)
    (simulator,) = (each for each in SIMULATORS if each.name == flow)
    return (Input(*event[:4]) for event in simulator.live_events(lambda: NOW, seed=seed))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))])
@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_a_random_result_is_explained_by_its_inputs(flow: Flow, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    first_minute = takewhile(lambda record: record.timestamp <= NOW + MINUTE, live_inputs(flow.name, seed))
    ran = Ran(flow.topology(), first_minute, source={"limits": FEW_TESTS}, emit=flow.emit or "every-update")
    choice = random.Random(f"{flow.name} {seed}")
    topic = choice.choice(sorted({record.topic for record in ran.outputs}))
    result = choice.choice([record for record in ran.outputs if record.topic == topic])
    found = ran.explain(result)
    assert (found.found, found.verified) == (True, True), found.notes
    data = [record for record in found.inputs if record.role == "data"]
    assert data
    assert not {record.position.topic for record in found.inputs} - {spec.name for spec in ran.topology.source_topics}
    AnswerView(everything=False).explanation(Documents(ran.topology, CODECS).explanation(found))
    shown = capsys.readouterr().out
    assert shown.startswith(f"{result.topic} {result.partition}:{result.offset}  ")
    assert f"is made of {len(found.inputs):,} input record{'s' if len(found.inputs) > 1 else ''}" in shown
    for record in (found.inputs[0], found.inputs[-1]):
        assert f"{record.position.topic} {record.position.partition}:{record.position.offset} " in shown
    assert f"path: {data[0].path[0]} → " in shown
