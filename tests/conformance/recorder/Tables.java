import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.state.KeyValueStore;

/** Operators of tables. */
final class Tables {
    static <V> Materialized<String, V, KeyValueStore<Bytes, byte[]>> store(String name, org.apache.kafka.common.serialization.Serde<V> serde) {
        return Materialized.<String, V, KeyValueStore<Bytes, byte[]>>as(name).withKeySerde(Serdes.String()).withValueSerde(serde);
    }

    static KTable<String, Object> table(StreamsBuilder builder, String topic, boolean stored) {
        return stored ? builder.table(topic, Topologies.JSON, store(topic + "-rows", Recorder.JSON_SERDE)) : builder.table(topic, Topologies.JSON);
    }

    static boolean even(String key, Object value) {
        return ((Number) value).intValue() % 2 == 0;
    }

    static Object pair(Object left, Object right) {
        var pair = new java.util.LinkedHashMap<String, Object>();
        pair.put("left", left);
        pair.put("right", right);
        return pair;
    }

    static void filter(StreamsBuilder builder, JsonNode config) {
        var kind = config.path("kind").asText("plain");
        var numbers = table(builder, "numbers", config.path("stored").asBoolean());
        switch (kind) {
            case "plain" -> to(numbers.filter(Tables::even));
            case "not" -> to(numbers.filterNot(Tables::even));
            case "result-stored" -> to(numbers.filter(Tables::even, store("even-rows", Recorder.JSON_SERDE)));
            case "twice" -> to(numbers.filter(Tables::even, store("even-rows", Recorder.JSON_SERDE)).filter((k, v) -> ((Number) v).intValue() > 2));
            case "mapped" -> to(numbers.mapValues(v -> (Object) (((Number) v).intValue() + 1)).filter(Tables::even));
            case "of-stream" -> to(builder.stream("more", Topologies.JSON).toTable(org.apache.kafka.streams.kstream.Named.as("more-table")).filter(Tables::even));
            case "of-count" -> to(builder.stream("more", Topologies.JSON).groupByKey(Grouped.with(Serdes.String(), Recorder.JSON_SERDE))
                .count(store("counts", Serdes.Long())).mapValues(v -> (Object) v).filter((k, v) -> ((Number) v).intValue() > config.path("over").asInt(-1) && ((Number) v).intValue() != config.path("excluded").asInt(-1)));
            case "joined" -> to(numbers.join(table(builder, "more", false), Tables::pair).filter((k, v) -> false));
            case "of-joined-table" -> {
                builder.stream("more", Topologies.JSON).join(numbers, Tables::pair).to("joined");
                to(numbers.filter(Tables::even));
            }
            case "inner-join" -> to(numbers.filter(Tables::even).join(table(builder, "more", false), Tables::pair));
            case "left-join" -> to(numbers.filter(Tables::even).leftJoin(table(builder, "more", false), Tables::pair));
            case "right-of-outer-join" -> to(table(builder, "more", false).outerJoin(numbers.filter(Tables::even), Tables::pair));
            case "of-foreign-key" -> to(numbers.join(table(builder, "more", false), v -> String.valueOf(v), Tables::pair).filter((k, v) -> k.equals("C")));
            case "grouped" -> {
                var even = numbers.filter(Tables::even);
                even.toStream().to("even");
                even.groupBy((k, v) -> KeyValue.pair("all", v), Grouped.with("all", Serdes.String(), Recorder.JSON_SERDE))
                    .count(store("counts", Serdes.Long())).toStream().mapValues(v -> (Object) v).to("counted");
            }
            case "suppressed" -> {
                var even = numbers.filter(Tables::even);
                even.toStream().to("even");
                even.suppress(Suppressed.untilTimeLimit(Duration.ofMillis(5), Suppressed.BufferConfig.unbounded()).withName("wait"))
                    .toStream().to("waited");
            }
            case "foreign-key" -> {
                var even = numbers.filter(Tables::even);
                even.toStream().to("even");
                even.join(table(builder, "more", false), v -> String.valueOf(v), Tables::pair).toStream().to("paired");
            }
            default -> throw new IllegalArgumentException(kind);
        }
    }

    static void to(KTable<String, Object> table) {
        KStream<String, Object> updates = table.toStream();
        updates.to("even");
    }
}
