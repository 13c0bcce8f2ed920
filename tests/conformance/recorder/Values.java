import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Tables whose values are transformed with state, and streams of their updates. */
final class Values {
    /** Adds the number of calls for the key to the value. */
    static final class Numbered implements ValueTransformerWithKey<String, Object, Object> {
        KeyValueStore<String, Long> calls;

        @Override
        public void init(ProcessorContext context) {
            calls = context.getStateStore("calls");
        }

        @Override
        public Object transform(String key, Object value) {
            var call = calls.get(key) == null ? 1L : calls.get(key) + 1;
            calls.put(key, call);
            if (value == null && call % 2 == 0) {
                return null;
            }
            var result = new LinkedHashMap<String, Object>();
            result.put("value", value);
            result.put("call", call);
            return result;
        }

        @Override
        public void close() { }
    }

    /** Puts key and value into a text. */
    static final class Described implements ValueTransformerWithKey<String, Object, Object> {
        @Override
        public void init(ProcessorContext context) { }

        @Override
        public Object transform(String key, Object value) {
            return value == null && key.equals("A") ? null : key + "=" + value;
        }

        @Override
        public void close() { }
    }

    static void transform(StreamsBuilder builder, JsonNode config) {
        var kind = config.path("kind").asText("plain");
        var numbers = Tables.table(builder, "numbers", config.path("stored").asBoolean());
        if (kind.startsWith("join")) {
            var described = numbers.transformValues(Described::new);
            var more = Tables.table(builder, "more", false);
            Tables.to(kind.equals("joined") ? more.leftJoin(described, Tables::pair) : described.join(more, Tables::pair));
            return;
        }
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("calls"), Serdes.String(), Serdes.Long()));
        switch (kind) {
            case "plain" -> Tables.to(numbers.transformValues(Numbered::new, "calls"));
            case "result-stored" -> Tables.to(numbers.transformValues(Numbered::new, Tables.store("results", Recorder.JSON_SERDE), "calls"));
            case "grouped" -> numbers.transformValues(Numbered::new, "calls")
                .groupBy((k, v) -> KeyValue.pair("all", v), Grouped.with("all", Serdes.String(), Recorder.JSON_SERDE))
                .count(Tables.store("counts", Serdes.Long())).toStream().mapValues(v -> (Object) v).to("even");
            case "stored-grouped" -> numbers.transformValues(Numbered::new, Tables.store("results", Recorder.JSON_SERDE), "calls")
                .groupBy((k, v) -> KeyValue.pair("all", v), Grouped.with("all", Serdes.String(), Recorder.JSON_SERDE))
                .count(Tables.store("counts", Serdes.Long())).toStream().mapValues(v -> (Object) v).to("even");
            case "filtered" -> Tables.to(numbers.transformValues(Numbered::new, "calls").filter((k, v) -> k.equals("C")));
            default -> throw new IllegalArgumentException(kind);
        }
    }

    static void rekeyed(StreamsBuilder builder, JsonNode config) {
        Tables.table(builder, "numbers", false).toStream((key, value) -> value == null ? null : key + value).to("renamed");
        Tables.table(builder, "more", false).toStream((key, value) -> "all")
            .groupByKey(Grouped.with("all", Serdes.String(), Recorder.JSON_SERDE)).count(Tables.store("counts", Serdes.Long()))
            .toStream().to("counted", Produced.with(Serdes.String(), LONGS));
    }

    static final org.apache.kafka.common.serialization.Serde<Long> LONGS = Serdes.serdeFrom(
        (topic, value) -> Recorder.JsonSerde.encode(value), (topic, bytes) -> (Long) Recorder.JsonSerde.decode(bytes));
}
