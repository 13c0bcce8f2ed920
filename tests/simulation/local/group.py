"""The coordinator of a consumer group whose members share partitions, and rebalance cooperatively.

A partition moves in two generations: its owner gives it up, or is removed because its session has timed out; then another member
gets it. Commits of members that are unknown, or of another generation, are refused.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple, NoReturn

from confluent_kafka import KafkaError, KafkaException

SESSION_S = 2.0


class Metadata(NamedTuple):
    """What a producer passes with offsets: the group, and the member with the generation that it knows."""

    group: str
    member: str
    generation: int


class View(NamedTuple):
    """The answer to a heartbeat: the generation, what it has to give up, and what it is assigned."""

    generation: int
    revoked: Collection[int]
    assigned: Collection[int]


class Group:
    """A group whose members share the partitions of one topic.

    Args:
        partitions: How many partitions.
    """

    def __init__(self, partitions: int) -> None:
        self.generation = 0
        self._seen: dict[str, float] = {}
        self._owners: dict[int, str | None] = dict.fromkeys(range(partitions))
        self._wanted: dict[int, str | None] = dict.fromkeys(range(partitions))

    def heartbeat(self, member: str, now: float, *, joins: bool) -> View:
        """Answer a heartbeat; a member that is unknown joins, or it is an error."""
        self.expire(now)
        if member not in self._seen:
            if not joins:
                fail("UNKNOWN_MEMBER_ID")
            self._seen[member] = now
            self._rebalance()
        self._seen[member] = now
        own = [number for number, owner in self._owners.items() if owner == member]
        revoked = [number for number in own if self._wanted[number] != member]
        assigned = [number for number, wanted in self._wanted.items() if wanted == member and self._owners[number] is None]
        return View(self.generation, revoked, assigned)

    def take(self, member: str, numbers: Iterable[int]) -> list[int]:
        """Let a member own partitions that it was assigned; return those that are still its own."""
        taken = [number for number in numbers if self._wanted[number] == member and self._owners[number] in {None, member}]
        if member not in self._seen:
            fail("UNKNOWN_MEMBER_ID")
        self._owners.update(dict.fromkeys(taken, member))
        return taken

    def give_up(self, member: str, numbers: Iterable[int]) -> None:
        """Let a member own partitions no longer."""
        own = [number for number in numbers if self._owners[number] == member]
        self._owners.update(dict.fromkeys(own))
        if own:
            self.generation += 1

    def leave(self, member: str) -> None:
        """Remove a member."""
        if self._seen.pop(member, None) is not None:
            self.give_up(member, list(self._owners))
            self._rebalance()

    def expire(self, now: float) -> None:
        """Remove the members whose sessions have timed out."""
        for member in [member for member, seen in self._seen.items() if now - seen > SESSION_S]:
            self.leave(member)

    def check(self, given: Metadata) -> None:
        """Refuse a commit of a member that was removed, or that has missed a rebalance."""
        if given.member not in self._seen:
            fail("UNKNOWN_MEMBER_ID")
        if given.generation != self.generation:
            fail("ILLEGAL_GENERATION")

    def _rebalance(self) -> None:
        """Assign the partitions; members keep what they have, as far as all get equally much."""
        self.generation += 1
        members = sorted(self._seen)
        if not members:
            self._wanted = dict.fromkeys(self._wanted)
            return
        most = -(-len(self._wanted) // len(members))
        counts = dict.fromkeys(members, 0)
        left = []
        for number, owner in self._owners.items():
            if owner in counts and counts[owner] < most:
                counts[owner] += 1
                self._wanted[number] = owner
            else:
                left.append(number)
        for number in left:
            member = min(members, key=lambda name: (counts[name], name))
            counts[member] += 1
            self._wanted[number] = member


def fail(name: str) -> NoReturn:
    """Raise the error of a coordinator."""
    raise KafkaException(KafkaError(getattr(KafkaError, name), name, retriable=False, txn_requires_abort=True))
