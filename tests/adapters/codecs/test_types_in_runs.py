"""Types, codecs of installed packages and windows of different sizes, in whole runs."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("eddyline")
FLOWS = """
from dataclasses import dataclass
from enum import Enum

from eddyline import Flow, TopologyBuilder, tumbling


class Side(Enum):
    BUY = "buy"
    SELL = "sell"


@dataclass(frozen=True)
class Order:
    side: Side
    price: float


@dataclass(frozen=True)
class Book:
    by_side: dict[Side, float]

    def add(self, order: Order) -> "Book":
        return Book({**self.by_side, order.side: order.price})


def pair(left: int | None, right: int | None) -> str:
    return f"{left}/{right}"


def book(builder: TopologyBuilder) -> None:
    strict = builder.stream("strict", key=str, value=Order)
    strict.to("strict-copies")
    builder.stream("lax", key=str, value=Order).to("lax-copies")
    strict.group_by_key().aggregate(lambda: Book({}), Book.add, store="books").to_stream().to("books")
    short, long = (
        strict.group_by_key().windowed_by(tumbling(size, grace=100)).count(store=f"windows-{size}") for size in (10, 20)
    )
    short.outer_join(long, pair, value=str, store="joined").to_stream(lambda key, _pair: str(key.window.start)).to("joined")
    builder.stream("words", key=str, value=str).to("shouts")


FLOWS = (Flow("book", "Keeps orders.", book, types={"lax": "lax"}),)
"""
CODEC = """
from eddyline.application.ports.codec import Codec, Codecs


class Shout(Codec):
    def encode(self, value):
        return None if value is None else value.upper().encode()

    def decode(self, data, headers=()):
        return None if data is None else data.decode().lower()


class Shouts(Codecs):
    def for_key(self, topic, key_type):
        return Shout()

    for_value = for_key

    def for_state(self, value_type):
        return Shout()
"""
UNIONS = """
from dataclasses import dataclass

from eddyline import Flow, TopologyBuilder


@dataclass(frozen=True)
class Paid:
    amount: int


@dataclass(frozen=True)
class PaidAbroad(Paid):
    currency: str = "usd"


def paid(amount: int) -> Paid:
    return PaidAbroad(amount) if amount > 5 else Paid(amount)


def parts(amount: int) -> list[int] | tuple[int, ...]:
    return (amount,)


FLOWS = (
    Flow("pay", "Writes payments.", lambda builder: builder.stream("sums", key=str, value=int).map_values(paid).to("paid")),
    Flow("part", "Writes parts.", lambda builder: builder.stream("sums", key=str, value=int).map_values(parts).to("parts")),
)
"""
HABITS = """
from dataclasses import dataclass, field
from decimal import Decimal

from eddyline import Flow, TopologyBuilder


@dataclass(frozen=True)
class Placed:
    order: str


@dataclass(frozen=True)
class Delivered:
    order: str


@dataclass(frozen=True)
class Move:
    x: int
    y: int


@dataclass(frozen=True)
class Heatmap:
    visits: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, move: Move) -> "Heatmap":
        square = (move.x, move.y)
        return Heatmap({**self.visits, square: self.visits.get(square, 0) + 1})


@dataclass(frozen=True)
class Mail:
    to: str
    from_: str = field(metadata={"alias": "from"})


@dataclass(frozen=True)
class Payment:
    amount: Decimal


def follow(state: Placed | Delivered, event: str) -> Placed | Delivered:
    return Delivered(state.order) if event == "deliver" else state


def append(items: list[str], item: str) -> list[str]:
    items.append(item)
    return items


def kind(state: Placed | Delivered) -> str:
    return type(state).__name__


def labels_of(_key: str, text: str) -> frozenset[str]:
    return frozenset(text.split())


def habits(builder: TopologyBuilder) -> None:
    events = builder.stream("events", key=str, value=str).group_by_key()
    orders = events.aggregate(lambda: Placed("x"), follow, value=Placed | Delivered, store="orders")
    orders.to_stream().map_values(kind).to("kinds")
    heatmaps = builder.stream("moves", key=str, value=Move).group_by_key().aggregate(Heatmap, Heatmap.add, store="heatmaps")
    heatmaps.to_stream().map_values(lambda heatmap: max(heatmap.visits.values()), value=int).to("most-visits")
    labelled = builder.stream("labels", key=str, value=str).group_by(labels_of, name="by-labels")
    labelled.count(store="orders-per-labels").to_stream(lambda key, _count: " ".join(sorted(key))).to("counts")
    builder.stream("mails", key=str, value=Mail).to("copies")
    carts = builder.stream("items", key=str, value=str).group_by_key().aggregate(list, append, value=list[str], store="carts")
    carts.to_stream().to("carts")
    sizes = carts.group_by(lambda _cart, items: (len(items), 1), key=int, value=int, name="by-size").count(store="sizes")
    sizes.to_stream(lambda size, _count: str(size)).to("sizes")
    builder.stream("payments", key=str, value=Payment).to("paid")


FLOWS = (Flow("habits", "Keeps what Python programs are used to.", habits),)
"""
BUY, SELL = {"side": "buy", "price": 1.5}, {"side": "sell", "price": 2.5}
WRONG = [{"side": "buy", "price": True}, {"side": "buy", "price": "1.5"}, {"side": "BUY", "price": 1.5}]


def _append(folder: Path, topic: str, *values: Any, timestamp: int) -> None:
    path = folder / "data/topics" / topic / "partition-0.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"key": "k", "value": value, "timestamp": timestamp}) + "\n" for value in values)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with the flow, a package with a codec, and topics."""
    (tmp_path / "orders_flows.py").write_text(FLOWS, encoding="utf-8")
    (tmp_path / "shout_codec.py").write_text(CODEC, encoding="utf-8")
    info = tmp_path / "shout_codec-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shout-codec\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[eddyline.codecs]\nshout = shout_codec:Shouts\n")
    _append(tmp_path, "strict", BUY, *WRONG, timestamp=1)
    _append(tmp_path, "lax", BUY, WRONG[1], timestamp=1)
    _append(tmp_path, "words", "tea", timestamp=1)
    return tmp_path


def _run(folder: Path, engine: str) -> None:
    run = _flow(
        folder, "orders_flows", "book", engine, "value.codecs.words=shout", "value.codecs.shouts=shout", "emit=every-update"
    )
    assert run.returncode == 0, run.stderr


def _flow(folder: Path, flows: str, flow: str, engine: str, *settings: str) -> "subprocess.CompletedProcess[str]":
    words = ["run", flow, "--flows", flows, "--available-now", "--engine", engine]
    for setting in settings:
        words += ["--set", setting]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False, env=environment)


def _values(folder: Path, topic: str) -> list[Any]:
    return [record["value"] for record in _records(folder, topic)]


def _records(folder: Path, topic: str) -> list[Any]:
    files = sorted((folder / "data/topics" / topic).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_runs_keep_types_codecs_and_joined_windows(folder: Path, engine: str) -> None:
    _run(folder, engine)
    _append(folder, "strict", SELL, timestamp=12)
    _run(folder, engine)
    assert _values(folder, "strict-copies") == [BUY, SELL]
    assert _values(folder, "lax-copies") == [BUY, BUY]
    assert len(_values(folder, "book-dead-letters")) == len(WRONG)
    assert _values(folder, "books") == [{"by_side": {"buy": 1.5}}, {"by_side": {"buy": 1.5, "sell": 2.5}}]
    assert _values(folder, "shouts") == ["TEA"]
    assert sorted(_values(folder, "joined")) == ["1/1", "1/2", "1/None", "1/None"]


@pytest.mark.parametrize("engine", ["memory", "local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_what_would_not_come_back_becomes_a_dead_letter_or_ends_the_start(tmp_path: Path, engine: str) -> None:
    (tmp_path / "union_flows.py").write_text(UNIONS, encoding="utf-8")
    _append(tmp_path, "sums", 5, 6, timestamp=1)
    run = _flow(tmp_path, "union_flows", "pay", engine, "production.exception.handler=dead-letter")
    assert run.returncode == 0, run.stderr
    assert _values(tmp_path, "paid") == [{"amount": 5}]
    assert _values(tmp_path, "pay-dead-letters") == [6]
    refused = _flow(tmp_path, "union_flows", "part", engine)
    assert refused.returncode != 0
    assert "the values of topic 'parts'" in refused.stderr
    assert "would come back from JSON as [1]" in refused.stderr


@pytest.mark.parametrize("engine", ["memory", "local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_types_and_habits_of_python_programs_hold_in_runs(tmp_path: Path, engine: str) -> None:
    """Unions and dicts in state, sets as keys, aliases, aggregates that are changed in place, and exact decimals."""
    (tmp_path / "habit_flows.py").write_text(HABITS, encoding="utf-8")
    before: dict[str, list[Any]] = {
        "events": ["place", "deliver"],
        "moves": [{"x": 1, "y": 2}, {"x": 1, "y": 2}, {"x": 2, "y": 1}],
        "labels": [f"{one} {other}" for one, other in (("tea", "rum"), ("rum", "tea"), ("oil", "ink"))],
        "mails": [{"to": "ann", "from": "bob"}],
        "items": ["tea", "rum"],
        "payments": [],
    }
    after: dict[str, list[Any]] = {
        "events": ["look"],
        "moves": [{"x": 1, "y": 2}],
        "labels": ["tea rum", "ink oil"],
        "mails": [{"to": "ann", "from": name} for name in "abcdef"],
        "items": ["ham"],
        "payments": [],
    }
    amount = "1234567890123456.78"
    for parts in (before, after) if engine != "memory" else ({topic: before[topic] + after[topic] for topic in before},):
        for topic, values in parts.items():
            _append(tmp_path, topic, *values, timestamp=1)
        with (tmp_path / "data/topics/payments/partition-0.jsonl").open("a", encoding="utf-8") as file:
            file.write(f'{{"key": "k", "value": {{"amount": {amount}}}, "timestamp": 1}}\n')
        run = _flow(tmp_path, "habit_flows", "habits", engine, "emit=every-update", "num.partitions=3")
        assert run.returncode == 0, run.stderr
    assert _values(tmp_path, "kinds") == ["Placed", "Delivered", "Delivered"]
    assert _values(tmp_path, "most-visits") == [1, 2, 2, 3]
    assert sorted(_values(tmp_path, "counts")) == [1, 1, 2, 2, 3]
    assert _values(tmp_path, "copies") == [*before["mails"], *after["mails"]]
    assert _values(tmp_path, "carts") == [["tea"], ["tea", "rum"], ["tea", "rum", "ham"]]
    sizes = {record["key"]: record["value"] for record in _records(tmp_path, "sizes")}
    assert sizes == {"1": 0, "2": 0, "3": 1}
    paid = [line for file in (tmp_path / "data/topics/paid").glob("*.jsonl") for line in file.read_text().splitlines()]
    assert paid
    assert all(amount in line for line in paid)
