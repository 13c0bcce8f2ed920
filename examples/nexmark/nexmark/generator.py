"""Simulated events of NEXMark: the same ones for the same settings, on every machine and version of Python.

    python -m nexmark.generator --events 10000 data

writes them to the topics `person`, `auction` and `bid` of Eddyline's file log in the folder `data`, and the rows of `side_input`.
Of every 50 events one is a person, three are auctions and 46 are bids. Some ids are named before their events exist.

Random numbers are drawn with `Random.random` alone, whose sequence Python promises not to change, and in a fixed order.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from nexmark.events import Auction, Bid, Person

PERSONS, AUCTIONS, EVENTS = 1, 3, 50
"""The persons, auctions and events in a round; the rest are bids."""
FIRST_ID = 1_000
FIRST_CATEGORY, CATEGORIES = 10, 5
HOT_EVERY = 100
"""A hot auction or seller has an id that is a multiple of this, a hot bidder the one after."""
ACTIVE_PERSONS, OPEN_AUCTIONS, NOT_YET = 1_000, 100, 10
"""The newest persons and auctions, of which events are; and how many ids are named before they exist."""
CHANNELS = 10_000
SIDE_ROWS = 1_500
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
CITIES = ("Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent", "Cheyenne")
FIRST_NAMES = ("Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter")
LAST_NAMES = ("Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris")
HOT_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
_ARRIVALS_SORTED_EVERY = 1_000
_UINT32 = 1 << 32


class Arrival(NamedTuple):
    """An event on its way: its topic, key, value, event time and time of arrival, both in ms since the epoch."""

    topic: str
    key: int
    value: Person | Auction | Bid
    timestamp: int
    arrival: int

    def line(self) -> str:
        """Return the event as a line of JSON."""
        return json.dumps({**self._asdict(), "value": self.json_value()}, separators=(",", ":")) + "\n"

    def json_value(self) -> dict[str, Any]:
        """Return the fields of the value by their names in JSON."""
        return {_camel_case(field.name): getattr(self.value, field.name) for field in fields(self.value)}


@dataclass(frozen=True)
class Simulation:
    """The settings of simulated events.

    Args:
        seed: The same seed gives the same events.
        events: How many events.
        delay_us: The event time between two events, in microseconds.
        base: The event time of the first event, in ISO 8601.
        late_share: The share of events that arrive after their event time; the events do not depend on it, but their order does.
        late_ms: By how much at most, in ms.
    """

    seed: int = 1
    events: int = 10_000
    delay_us: int = 25_000
    base: str = "2015-07-15T00:00:00Z"
    late_share: float = 0.0
    late_ms: int = 0

    def arrivals(self) -> Iterator[Arrival]:
        """Generate the events in the order of their arrival."""
        source = _Source(self)
        if self.late_share == 0:
            yield from map(source.event, range(self.events))
            return
        chance = Random(f"late {self.seed}").random
        waiting: list[tuple[int, int, Arrival]] = []
        for number in range(self.events):
            now = source.time(number)
            arrival = now + 1 + int(chance() * self.late_ms) if chance() < self.late_share else now
            waiting.append((arrival, number, source.event(number)._replace(arrival=arrival)))
            if (number + 1) % _ARRIVALS_SORTED_EVERY == 0:
                waiting.sort(key=lambda each: each[:2])
                arrived = sum(arrival <= now for arrival, _, _ in waiting)
                yield from (event for _, _, event in waiting[:arrived])
                del waiting[:arrived]
        waiting.sort(key=lambda each: each[:2])
        yield from (event for _, _, event in waiting)


def side_rows() -> Iterator[tuple[int, str]]:
    """Generate the keys and values of the topic `side_input`, for q13; some auctions find no row."""
    return ((key, f"side-{key * 7919 % 1000}") for key in range(SIDE_ROWS))


class _Source:
    """Makes the event of each number; called with ascending numbers, since each draws the next random numbers."""

    def __init__(self, settings: Simulation) -> None:
        self._random = Random(settings.seed).random
        self._delay_us = settings.delay_us
        self._start_ms = int(datetime.fromisoformat(settings.base).timestamp()) * 1_000
        self._letters = "".join(self._choice(ALPHABET) for _ in range(4_096))
        self._hot_channels = [(name, self._url()) for name in HOT_CHANNELS]
        self._channels = [(f"channel-{number}", self._url() + self._channel_id(number)) for number in range(CHANNELS)]

    def time(self, number: int) -> int:
        """Return the event time of an event, in ms since the epoch."""
        return self._start_ms + number * self._delay_us // 1_000

    def event(self, number: int) -> Arrival:
        """Return the event of a number, which arrives in time."""
        now, turn = self.time(number), number % EVENTS
        if turn < PERSONS:
            person = self._person(number, now)
            return Arrival("person", person.id, person, now, now)
        if turn < PERSONS + AUCTIONS:
            auction = self._auction(number, now)
            return Arrival("auction", auction.id, auction, now, now)
        bid = self._bid(number, now)
        return Arrival("bid", bid.auction, bid, now, now)

    def _person(self, number: int, now: int) -> Person:
        name = f"{self._choice(FIRST_NAMES)} {self._choice(LAST_NAMES)}"
        email = f"{self._word(7)}@{self._word(5)}.com"
        card = " ".join(f"{self._below(10_000):04d}" for _ in range(4))
        city, state = self._choice(CITIES), self._choice(STATES)
        used = 8 + len(name) + len(email) + len(card) + len(city) + len(state)
        return Person(FIRST_ID + _newest_person(number), name, email, card, city, state, now, self._filler(200, used))

    def _auction(self, number: int, now: int) -> Auction:
        is_hot = self._below(4) > 0
        seller = _newest_person(number) // HOT_EVERY * HOT_EVERY if is_hot else self._any_person(number)
        category, initial_bid = FIRST_CATEGORY + self._below(CATEGORIES), self._price()
        horizon = self.time(number + OPEN_AUCTIONS * EVENTS // AUCTIONS) - now
        expires = now + 1 + self._below(max(2 * horizon, 1))
        item, description = self._word(20), self._word(100)
        reserve = initial_bid + self._price()
        extra = self._filler(500, 48 + len(item) + len(description))
        identity = FIRST_ID + _newest_auction(number)
        return Auction(identity, item, description, initial_bid, reserve, now, expires, FIRST_ID + seller, category, extra)

    def _bid(self, number: int, now: int) -> Bid:
        is_hot = self._below(2) > 0
        auction = _newest_auction(number) // HOT_EVERY * HOT_EVERY if is_hot else self._any_auction(number)
        is_hot = self._below(4) > 0
        bidder = _newest_person(number) // HOT_EVERY * HOT_EVERY + 1 if is_hot else self._any_person(number)
        price = self._price()
        channel, url = self._choice(self._hot_channels if self._below(2) > 0 else self._channels)
        return Bid(FIRST_ID + auction, FIRST_ID + bidder, price, channel, url, now, self._filler(100, 32))

    def _any_person(self, number: int) -> int:
        persons = _newest_person(number) + 1
        active = min(persons, ACTIVE_PERSONS)
        return persons - active + self._below(active + NOT_YET)

    def _any_auction(self, number: int) -> int:
        newest = _newest_auction(number)
        oldest = max(newest - OPEN_AUCTIONS, 0)
        return oldest + self._below(newest - oldest + 1 + NOT_YET)

    def _price(self) -> int:
        return round(10 ** (self._random() * 6) * 100)

    def _filler(self, mean_length: int, used: int) -> str:
        """Return letters that make an event about so long, if its other fields are `used` characters."""
        room = max(mean_length - used, 0)
        length = int(room * 0.8 + self._random() * room * 0.4)
        start = self._below(len(self._letters) - length)
        return self._letters[start : start + length]

    def _url(self) -> str:
        folders = "/".join(self._word(5, "_") for _ in range(3))
        return f"https://www.nexmark.com/{folders}/item.htm?query=1"

    def _channel_id(self, number: int) -> str:
        """Return a parameter for most channels: the 32 bits of the number in reverse order, as a signed integer's magnitude."""
        mirrored = int(f"{number:032b}"[::-1], 2)
        return "" if self._below(10) == 0 else f"&channel_id={min(mirrored, _UINT32 - mirrored)}"

    def _word(self, longest: int, space: str = " ") -> str:
        letters = (space if self._below(13) == 0 else self._choice(ALPHABET) for _ in range(3 + self._below(longest - 3)))
        return "".join(letters).strip()

    def _below(self, limit: int) -> int:
        return int(self._random() * limit)

    def _choice(self, choices: Any) -> Any:
        return choices[int(self._random() * len(choices))]


def _newest_person(number: int) -> int:
    rounds, turn = divmod(number, EVENTS)
    return rounds * PERSONS + min(turn, PERSONS - 1)


def _newest_auction(number: int) -> int:
    """Return the number of the newest auction; on a person's turn it is one of the round before."""
    rounds, turn = divmod(number, EVENTS)
    return rounds * AUCTIONS + min(turn - PERSONS, AUCTIONS - 1)


@cache
def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


def write_topics(simulation: Simulation, data_dir: Path) -> None:
    """Write the events and the side rows to the first partitions of their topics in a file log."""
    files = {}
    for topic in ("person", "auction", "bid", "side_input"):
        folder = data_dir / "topics" / topic
        folder.mkdir(parents=True, exist_ok=True)
        files[topic] = (folder / "partition-0.jsonl").open("w", encoding="utf-8")
    for arrival in simulation.arrivals():
        record = {"timestamp": arrival.timestamp, "key": str(arrival.key), "value": arrival.json_value()}
        files[arrival.topic].write(json.dumps(record, separators=(",", ":")) + "\n")
    start = int(datetime.fromisoformat(simulation.base).timestamp()) * 1_000
    files["side_input"].writelines(
        json.dumps({"timestamp": start, "key": str(key), "value": value}) + "\n" for key, value in side_rows()
    )
    for file in files.values():
        file.close()


def main() -> None:
    """Write simulated events."""
    parser = ArgumentParser(description="Write simulated events of NEXMark to a file log.")
    parser.add_argument("folder", type=Path, help="the folder of the file log")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=10_000)
    given = parser.parse_args()
    write_topics(Simulation(seed=given.seed, events=given.events), given.folder)
    print(f"{given.events} events written to {given.folder}")


if __name__ == "__main__":
    main()
