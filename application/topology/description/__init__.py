"""Topologies as text and as diagrams."""

from eddyline.application.topology.description.mermaid import Direction, as_flowchart
from eddyline.application.topology.description.text import as_text
from eddyline.application.topology.description.update_dependents import UpdateDependent, update_dependents

__all__ = ["Direction", "UpdateDependent", "as_flowchart", "as_text", "update_dependents"]
