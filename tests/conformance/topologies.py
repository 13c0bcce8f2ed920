"""The topologies of the conformance cases, apart from the sample flows."""

from eddyline.application.flows.flow import Flow
from tests.conformance.dedupe import dedupe
from tests.conformance.joins import joins
from tests.conformance.orders import merge_branch_flatmap
from tests.conformance.windows import closed_counts, session_counts, sliding_counts, suppressed_counts

FLOWS: tuple[Flow, ...] = (
    Flow("merge-branch-flatmap", "Totals the ordered quantity of each SKU over two shops.", merge_branch_flatmap),
    Flow("dedupe", "Discards duplicate events by id.", dedupe),
    Flow("session-counts", "Counts events in sessions.", session_counts),
    Flow("sliding", "Counts events in sliding windows.", sliding_counts),
    Flow("suppress", "Counts events and suppresses intermediate counts.", suppressed_counts),
    Flow("joins", "Joins two topics, in every supported way.", joins),
    Flow("emit-on-close", "Counts events in windows and emits the counts when the windows close.", closed_counts),
)
