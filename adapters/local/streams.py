"""What the local engine uses of a log besides the ports of all engines."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TypeAlias

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.task_streams import Commits, Feed, Membership
from eddyline.application.runtime.plan.run_plan import RunPlan

OnRevoked: TypeAlias = Callable[[Collection[int]], None]
"""Called with the numbers of the tasks that move to other processes, to commit what they have done."""


class Assignment(NamedTuple):
    """What processes share: the tasks with the numbers of the partitions of a topic."""

    topic: str
    partitions: int


class Streams(NamedTuple):
    """Creates what one session of a run needs.

    Attributes:
        membership: Joins the processes of the application.
        feed: Reads records as they come.
        commits: Writes commits; `membership` is that of this process.
        retryable: The errors after which a new session may succeed, since something did not answer or was lost.
        settle: Lets what was committed to a partition be visible: waits for records of transactions that are not visible yet, and
            completes a commit that a process was killed in.
        step_s: How long a step should take, in seconds. Commits on files take long, so that steps are longer there.
        claim: Called once this process has tasks, before it writes anything for them; may refuse to go on by raising.
    """

    membership: Callable[[Assignment, OnRevoked], Membership]
    feed: Callable[[RunPlan], Feed]
    commits: Callable[[Membership], Commits]
    retryable: Sequence[type[Exception]] = ()
    step_s: float = 2.0
    settle: Callable[[TopicPartition], None] = lambda _partition: None
    claim: Callable[[], None] = lambda: None
