"""Which state stores of a run have a changelog."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from eddyline.application.runtime.changelog import changelog_topic
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError, listed

StoreChoice: TypeAlias = tuple[str, ...] | Literal["all"]
"""The names of stores, or `all` for those of tables, aggregations and processors, but not the buffers of joins and suppressions.
Stores that the topology declares queryable are always chosen. The stores of global tables are copies of their topics and have no
changelogs."""


def store_choice(text: str) -> StoreChoice:
    """Return the choice in the value of the setting `changelog.stores`: `none`, `all` or names separated by commas."""
    text = text.strip()
    if text == "all":
        return "all"
    if text == "none":
        return ()
    return tuple(name for part in text.split(",") if (name := part.strip()))


class StoreChoiceError(TopologyError):
    """The setting `changelog.stores` names a store that has no changelog; the message lists the choices."""


def chosen_stores(topology: Topology, choice: StoreChoice) -> frozenset[str]:
    """Return the names of the chosen stores, and of those that the topology declares queryable.

    Raises:
        StoreChoiceError: the topology has no such store, or it belongs to a global table.
    """
    own = [name for sub in topology.sub_topologies for name in sub.stores]
    if choice == "all":
        return frozenset(name for name in own if not topology.stores[name].internal)
    for name in choice:
        if name not in own:
            problem = "belongs to a global table, whose topic is its changelog" if name in topology.stores else "is unknown"
            msg = f"changelog.stores: store '{name}' {problem}; choose one of: all, none, {listed(sorted(own))}"
            raise StoreChoiceError(msg)
    return frozenset(choice).union(name for name in own if topology.stores[name].queryable)


def changelogs_by_sub_topology(topology: Topology, application_id: str, choice: StoreChoice) -> Mapping[int, Mapping[str, str]]:
    """Return the changelog topics of each sub-topology that has some, by its index: a topic for each store.

    Raises:
        TopologyError: as for `chosen_stores`.
    """
    chosen = chosen_stores(topology, choice)
    found = {
        sub.index: {name: changelog_topic(application_id, name) for name in sub.stores if name in chosen}
        for sub in topology.sub_topologies
    }
    return {index: topics for index, topics in found.items() if topics}


def is_own_changelog(topology: Topology, topic: str) -> bool:
    """Return whether a topic has the name of a changelog of a topology, under any application id."""
    return topic.endswith("-changelog") and any(topic.endswith(changelog_topic("", store)) for store in topology.stores)


def changelog_topics(topology: Topology, application_id: str) -> tuple[str, ...]:
    """Return the names of the changelogs that runs of a topology may have created."""
    return tuple(sorted(changelog_topic(application_id, name) for sub in topology.sub_topologies for name in sub.stores))
