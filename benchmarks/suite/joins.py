"""The joins of the benchmarks: input topics keyed by user, and the checksums of what every program must find in them.

The checksum is the sum of the hashes of all results, so that it does not depend on their order. What it must be is computed from
the input alone, by looking up times in lists.
"""

import json
import random
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final
from zlib import crc32

from benchmarks.kafka_trades import PARTITIONS, START_MS
from benchmarks.producing import Produced
from benchmarks.suite.workloads import Workload
from eddyline.application.ports.event_log import LogRecord

AROUND_MS: Final = 1_000
"""A click is joined with the searches of its user from so long before to so long after it."""
CLOSING: Final = "closing"
"""The user of the last click and search of each partition, which are so late that all other windows are closed; not counted."""
USERS: Final = 10_000
_PER_MS: Final = 20
_PER_SEARCH: Final = 5
_PER_PROFILE: Final = 20
_CLOSING_MS: Final = 60_000
_ACTIONS: Final = ("Open", "Close", "Like", "Close")


def clickstream(clicks: int) -> Workload:
    """Return the enrichment of clicks by the profiles of their users and by the searches around them.

    Of 10,000 users, nine in ten have a profile from the start; profiles change throughout, but only in their zip codes. There is
    one search to five clicks. A click without a search around it is a result, too.
    """
    topics = (f"clicks-{clicks}", f"profiles-{clicks}", f"searches-{clicks}")
    records = sum(1 for _ in _clickstream(topics, clicks))
    return Workload(
        "clickstream",
        topics,
        records,
        lambda: _clickstream(topics, clicks),
        checksum=_activity_checksum(_clickstream(topics, clicks), topics),
        check=lambda results: sum(_activity_hash(json.loads(record.value or b"{}")) for record in results),
    )


def notifications(ticks: int) -> Workload:
    """Return the notification of users whose last action before a tick is that they closed the application.

    There are 10,000 users, and two ticks to one action. Actions are at even milliseconds and ticks at odd ones, so no tick is at
    the time of an action.
    """
    topics = (f"ticks-{ticks}", f"actions-{ticks}")
    records = sum(1 for _ in _notifications(topics, ticks))
    last: dict[object, str | bytes] = {}
    checksum = 0
    for topic, key, value, _, _ in _notifications(topics, ticks):
        if topic == topics[1]:
            last[key] = value
        elif last.get(key) == "Close":
            checksum += crc32(str(key).encode())
    return Workload(
        "notifications", topics, records, lambda: _notifications(topics, ticks), checksum=checksum, check=_notification_checksum
    )


def _clickstream(topics: tuple[str, ...], clicks: int) -> Iterator[Produced]:
    """Yield clicks, profiles and searches in the order of their timestamps, 20 clicks in a millisecond."""
    to_clicks, to_profiles, to_searches = topics
    chance = random.Random(1)
    for user in range(USERS):
        if _has_profile(user):
            yield Produced(to_profiles, f"u{user}", _profile(user, chance), START_MS)
    for number in range(clicks):
        at, user = START_MS + 1 + number // _PER_MS, chance.randrange(USERS)
        value = f'{{"userId":"u{user}","page":"/products/{chance.randrange(1_000)}?visit={number}"}}'
        yield Produced(to_clicks, f"u{user}", value, at)
        if number % _PER_SEARCH == 0:
            yield Produced(to_searches, f"u{chance.randrange(USERS)}", f'{{"searchTerms":"shoes {number}"}}', at)
        if number % _PER_PROFILE == 0 and _has_profile(user := chance.randrange(USERS)):
            yield Produced(to_profiles, f"u{user}", _profile(user, chance), at)
    end = START_MS + clicks // _PER_MS + _CLOSING_MS
    for partition in range(PARTITIONS):
        yield Produced(to_searches, CLOSING, "{}", end, partition)
        yield Produced(to_clicks, CLOSING, f'{{"userId":"{CLOSING}"}}', end, partition)


def _has_profile(user: int) -> bool:
    return user % 10 != 0


def _profile(user: int, chance: random.Random) -> str:
    return f'{{"userName":"User {user}","zipcode":"{chance.randrange(100_000):05}","interests":["music","chess"]}}'


def _activity_checksum(records: Iterable[Produced], topics: tuple[str, ...]) -> int:
    searches: dict[object, tuple[list[int], list[str]]] = defaultdict(lambda: ([], []))
    clicks: list[tuple[object, int, str]] = []
    for topic, key, value, at, _ in records:
        if topic == topics[0]:
            clicks.append((key, at, json.loads(value).get("page")))
        elif topic == topics[2]:
            searches[key][0].append(at)
            searches[key][1].append(json.loads(value).get("searchTerms"))
    total = 0
    for user, at, page in clicks:
        times, terms = searches[user]
        around = islice(terms, bisect_left(times, at - AROUND_MS), bisect_right(times, at + AROUND_MS))
        number = str(user)[1:]
        name = f"User {number}" if user != CLOSING and _has_profile(int(number)) else ""
        for term in tuple(around) or ("",):
            total += _activity_hash({"userId": user, "userName": name, "searchTerm": term, "page": page})
    return total


def _activity_hash(activity: dict[str, object]) -> int:
    if activity["userId"] == CLOSING:
        return 0
    return crc32("|".join(str(activity[field]) for field in ("userId", "userName", "searchTerm", "page")).encode())


def _notifications(topics: tuple[str, ...], ticks: int) -> Iterator[Produced]:
    """Yield actions and ticks in the order of their timestamps, 10 ticks in a millisecond on average."""
    to_ticks, to_actions = topics
    chance = random.Random(1)
    at = START_MS
    for number in range(ticks):
        if number % _PER_MS == 0:
            at += 2
            for _ in range(_PER_MS // 2):
                yield Produced(to_actions, f"u{chance.randrange(USERS)}", chance.choice(_ACTIONS), at)
        yield Produced(to_ticks, f"u{chance.randrange(USERS)}", f'{{"number":{number}}}', at + 1)


def _notification_checksum(results: Iterable[LogRecord]) -> int:
    return sum(crc32(record.key or b"") for record in results)
