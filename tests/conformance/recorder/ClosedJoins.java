import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;

/** Joins of two tables of windows whose results are emitted when the windows close. */
final class ClosedJoins {
    static void build(StreamsBuilder builder, JsonNode config) {
        if (config.path("window").asText().equals("session")) {
            if (config.path("joined").isBoolean()) {
                sessions(builder, "left", config).toStream((key, value) -> key.key() + " from " + key.window().start() + " to " + key.window().end())
                    .mapValues(value -> (Object) value).to("joined");
                return;
            }
            sessions(builder, "left", config).join(sessions(builder, "right", config), (left, right) -> (Object) Tables.pair(left, right))
                .toStream((key, value) -> key.key() + " from " + key.window().start() + " to " + key.window().end()).to("joined");
            return;
        }
        Topologies.WINDOWED_TOPICS.put("joined", 10L);
        counts(builder, "left", config).join(counts(builder, "right", config), (left, right) -> (Object) Tables.pair(left, right))
            .toStream().to("joined");
    }

    static KTable<Windowed<String>, Long> sessions(StreamsBuilder builder, String topic, JsonNode config) {
        var windows = SessionWindows.ofInactivityGapAndGrace(Duration.ofMillis(10), Duration.ofMillis(config.path("grace_ms").asLong()));
        return builder.stream(topic, Topologies.JSON).groupByKey(Grouped.with(Serdes.String(), Recorder.JSON_SERDE)).windowedBy(windows)
            .emitStrategy(EmitStrategy.onWindowClose())
            .count(Materialized.<String, Long, SessionStore<Bytes, byte[]>>as(topic + "-session-store").withValueSerde(Serdes.Long()));
    }

    static KTable<Windowed<String>, Long> counts(StreamsBuilder builder, String topic, JsonNode config) {
        var grace = Duration.ofMillis(config.path("grace_ms").asLong());
        var store = Materialized.<String, Long, WindowStore<Bytes, byte[]>>as(topic + "-counts").withKeySerde(Serdes.String()).withValueSerde(Serdes.Long());
        if (config.has("retention_ms")) {
            store = store.withRetention(Duration.ofMillis(config.get("retention_ms").asLong()));
        }
        var grouped = builder.stream(topic, Topologies.JSON).groupByKey(Grouped.with(Serdes.String(), Recorder.JSON_SERDE));
        return config.path("window").asText().equals("sliding")
            ? grouped.windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10), grace)).emitStrategy(EmitStrategy.onWindowClose()).count(store)
            : grouped.windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMillis(10), grace)).emitStrategy(EmitStrategy.onWindowClose()).count(store);
    }
}
