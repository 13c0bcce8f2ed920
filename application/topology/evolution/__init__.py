"""Compares versions of a topology: which changes are safe for the state that an earlier version has left."""

from eddyline.application.topology.evolution.changes import Change, Verdict, breaking, changes, rebuilding, way_out
from eddyline.application.topology.evolution.description import DescriptionError, TopologyDescription, described, from_json

__all__ = [
    "Change",
    "DescriptionError",
    "TopologyDescription",
    "Verdict",
    "breaking",
    "changes",
    "described",
    "from_json",
    "rebuilding",
    "way_out",
]
