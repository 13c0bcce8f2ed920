import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;

/** The topologies of the recorded cases by the names that cases use. */
final class Topologies {
    /** The size of the windows in the keys of topics. */
    static final Map<String, Long> WINDOWED_TOPICS = new HashMap<>();
    /** Stores that the operators name by themselves; cases do not list them. */
    static final String INTERNAL_STORES = ".*-(STORE-[0-9]+|store|shared-join)";

    static final Consumed<String, Object> JSON = Consumed.with(Serdes.String(), Recorder.JSON_SERDE);

    static void build(String topology, StreamsBuilder builder, JsonNode config) {
        WINDOWED_TOPICS.clear();
        switch (topology) {
            case "table-filter" -> Tables.filter(builder, config);
            case "null-keys" -> NullKeys.build(builder, config);
            case "closed-joins" -> ClosedJoins.build(builder, config);
            case "transform-values" -> Values.transform(builder, config);
            case "to-stream-key" -> Values.rekeyed(builder, config);
            case "chosen-topics" -> Routing.topics(builder, config);
            case "partitioners" -> Routing.partitioners(builder, config);
            case "topic-patterns" -> Routing.patterns(builder, config);
            case "suppress-bytes" -> Buffers.suppress(builder, config);
            case "join-stores" -> Buffers.joinStores(builder, config);
            case "connected-stores" -> Buffers.connectedStores(builder, config);
            case "global-store" -> Globals.store(builder, config);
            case "unused-global-table" -> Globals.unused(builder, config);
            default -> throw new IllegalArgumentException("unknown topology " + topology);
        }
    }
}
