import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.kstream.StreamJoined;

/** Records without a key that are repartitioned upstream of joins. */
final class NullKeys {
    static void build(StreamsBuilder builder, JsonNode config) {
        var kind = config.path("kind").asText();
        KStream<String, Object> left = builder.stream("left", Topologies.JSON).repartition(by("by-left"));
        if (config.path("distant").asBoolean()) {
            left = left.mapValues(v -> v).filter((k, v) -> true).repartition(by("again")).peek((k, v) -> { });
        }
        var windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10), Duration.ZERO);
        var joined = StreamJoined.with(Serdes.String(), Recorder.JSON_SERDE, Recorder.JSON_SERDE).withName("paired");
        switch (kind) {
            case "stream-inner" -> left.join(right(builder), Tables::pair, windows, joined).to("joined");
            case "stream-left" -> left.leftJoin(right(builder), Tables::pair, windows, joined).to("joined");
            case "stream-outer" -> left.outerJoin(right(builder), Tables::pair, windows, joined).to("joined");
            case "table-inner" -> left.join(Tables.table(builder, "right", true), Tables::pair, Joined.as("paired")).to("joined");
            case "table-left" -> left.leftJoin(Tables.table(builder, "right", true), Tables::pair, Joined.as("paired")).to("joined");
            case "global-inner" -> left.join(builder.globalTable("right", Topologies.JSON, Tables.store("right-rows", Recorder.JSON_SERDE)),
                (k, v) -> k, Tables::pair).to("joined");
            case "global-left" -> left.leftJoin(builder.globalTable("right", Topologies.JSON, Tables.store("right-rows", Recorder.JSON_SERDE)),
                (k, v) -> k, Tables::pair).to("joined");
            case "none" -> left.to("joined");
            case "two-branches" -> {
                left.to("passed");
                left.leftJoin(Tables.table(builder, "right", true), Tables::pair, Joined.as("paired")).to("joined");
            }
            case "joined-after-count" -> left.groupByKey(Grouped.with(Serdes.String(), Recorder.JSON_SERDE)).count(Tables.store("counts", Serdes.Long()))
                .toStream().mapValues(v -> (Object) v).leftJoin(Tables.table(builder, "right", true), Tables::pair, Joined.as("paired")).to("joined");
            default -> throw new IllegalArgumentException(kind);
        }
    }

    static KStream<String, Object> right(StreamsBuilder builder) {
        return builder.stream("right", Topologies.JSON).repartition(by("by-right"));
    }

    static Repartitioned<String, Object> by(String name) {
        return Repartitioned.<String, Object>as(name).withKeySerde(Serdes.String()).withValueSerde(Recorder.JSON_SERDE);
    }
}
