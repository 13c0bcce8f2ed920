"""The topologies of the conformance cases, apart from the sample flows."""

from eddyline.application.flows.flow import Flow
from tests.conformance.buffers import connected_stores, join_stores, suppress_bytes
from tests.conformance.closed_joins import closed_joins
from tests.conformance.dedupe import dedupe
from tests.conformance.global_stores import global_store, unused_global_table
from tests.conformance.joins import joins
from tests.conformance.null_keys import null_keys
from tests.conformance.orders import merge_branch_flatmap
from tests.conformance.routing import chosen_topics, partitioners, topic_patterns
from tests.conformance.table_filter import table_filter
from tests.conformance.transformed_values import to_stream_key, transform_values
from tests.conformance.windows import closed_counts, session_counts, sliding_counts, suppressed_counts

FLOWS: tuple[Flow, ...] = (
    Flow("merge-branch-flatmap", "Totals the ordered quantity of each SKU over two shops.", merge_branch_flatmap),
    Flow("dedupe", "Discards duplicate events by id.", dedupe),
    Flow("session-counts", "Counts events in sessions.", session_counts),
    Flow("sliding", "Counts events in sliding windows.", sliding_counts),
    Flow("suppress", "Counts events and suppresses intermediate counts.", suppressed_counts),
    Flow("joins", "Joins two topics, in every supported way.", joins),
    Flow("emit-on-close", "Counts events in windows and emits the counts when the windows close.", closed_counts),
    Flow("closed-joins", "Joins tables of windows that are emitted when they close.", closed_joins),
    Flow("table-filter", "Filters a table in front of all kinds of operators.", table_filter),
    Flow("transform-values", "Transforms the values of a table with state.", transform_values),
    Flow("to-stream-key", "Gives the updates of tables new keys.", to_stream_key),
    Flow("chosen-topics", "Chooses the topic of each record by its context.", chosen_topics),
    Flow("partitioners", "Chooses several partitions for a record, or none.", partitioners),
    Flow("topic-patterns", "Counts the records of all topics that match a pattern.", topic_patterns),
    Flow("suppress-bytes", "Suppresses updates in a buffer with a limit in bytes.", suppress_bytes),
    Flow("join-stores", "Joins streams in stores that the user chooses.", join_stores),
    Flow("connected-stores", "Counts records in a store that two suppliers bring along.", connected_stores),
    Flow("global-store", "Looks up numbers in a global store with a processor of its own.", global_store),
    Flow("unused-global-table", "Has a global table that no operator uses.", unused_global_table),
    Flow("null-keys", "Repartitions records without a key upstream of joins.", null_keys),
)
