"""The topologies of the conformance cases that are no business flows."""

from eddyline.application.flows.flow import Flow
from tests.conformance.dedupe import dedupe
from tests.conformance.joins import joins
from tests.conformance.orders import merge_branch_flatmap
from tests.conformance.windows import closed_counts, session_counts, sliding_counts, suppressed_counts

FLOWS: tuple[Flow, ...] = (
    Flow("merge-branch-flatmap", "Adds up the ordered quantity of each sku over two shops.", merge_branch_flatmap),
    Flow("dedupe", "Leaves out events whose id was seen.", dedupe),
    Flow("session-counts", "Counts events in sessions.", session_counts),
    Flow("sliding", "Counts events in sliding windows.", sliding_counts),
    Flow("suppress", "Counts events, and holds the counts back.", suppressed_counts),
    Flow("joins", "Joins two topics, in every way.", joins),
    Flow("emit-on-close", "Counts events in windows, and tells when they close.", closed_counts),
)
