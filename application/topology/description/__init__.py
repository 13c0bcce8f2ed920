"""Topologies as text and as diagrams."""

from eddyline.application.topology.description.mermaid import as_flowchart
from eddyline.application.topology.description.text import as_text

__all__ = ["as_flowchart", "as_text"]
