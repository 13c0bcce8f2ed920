import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedKeyValueStore;

/** Versioned tables, and joins of streams with them. */
final class Versioned {
    static <V> Materialized<String, V, KeyValueStore<Bytes, byte[]>> versions(String name, JsonNode config, Serde<V> serde) {
        var retention = Duration.ofMillis(config.path("history_retention_ms").asLong(100));
        return Materialized.<String, V>as(Stores.persistentVersionedKeyValueStore(name, retention)).withKeySerde(Serdes.String()).withValueSerde(serde);
    }

    static KTable<String, Object> table(StreamsBuilder builder, String topic, JsonNode config) {
        return builder.table(topic, Topologies.JSON, versions(topic + "-versions", config, Recorder.JSON_SERDE));
    }

    static int number(Object value) {
        return ((Number) value).intValue();
    }

    static Object paired(Object left, Object right) {
        return Tables.pair(left, right);
    }

    static void build(StreamsBuilder builder, JsonNode config) {
        var kind = config.path("kind").asText();
        if (kind.equals("processor")) {
            reads(builder, config);
            return;
        }
        var prices = table(builder, "prices", config);
        switch (kind) {
            case "table" -> to(prices);
            case "of-stream" -> to(builder.stream("more", Topologies.JSON).toTable(versions("more-versions", config, Recorder.JSON_SERDE)));
            case "filter" -> to(prices.filter(Tables::even));
            case "filter-stored" -> to(prices.filter(Tables::even, Tables.store("even-rows", Recorder.JSON_SERDE)));
            case "filter-versioned" -> to(prices.filter(Tables::even, versions("even-versions", config, Recorder.JSON_SERDE)));
            case "map" -> to(prices.mapValues(v -> (Object) (number(v) + 1)));
            case "map-versioned" -> to(prices.mapValues(v -> (Object) (number(v) + 1), versions("mapped-versions", config, Recorder.JSON_SERDE)));
            case "count" -> prices.groupBy((k, v) -> KeyValue.pair(number(v) % 2 == 0 ? "even" : "odd", v), Grouped.with("parity", Serdes.String(), Recorder.JSON_SERDE))
                .count(Tables.store("counts", Serdes.Long())).toStream().mapValues(v -> (Object) v).to("out");
            case "count-filtered" -> prices.filter(Tables::even).groupBy((k, v) -> KeyValue.pair("all", v), Grouped.with("all", Serdes.String(), Recorder.JSON_SERDE))
                .count(Tables.store("counts", Serdes.Long())).toStream().mapValues(v -> (Object) v).to("out");
            case "stream-count" -> to(builder.stream("more", Topologies.JSON).groupByKey(Grouped.with(Serdes.String(), Recorder.JSON_SERDE))
                .count(versions("counts", config, Serdes.Long())).mapValues(v -> (Object) v));
            case "join-inner" -> to(prices.join(Tables.table(builder, "more", true), Versioned::paired));
            case "join-left" -> to(prices.leftJoin(table(builder, "more", config), Versioned::paired));
            case "join-outer" -> to(prices.outerJoin(table(builder, "more", config), Versioned::paired));
            case "join-right-versioned" -> to(Tables.table(builder, "more", true).leftJoin(prices, Versioned::paired));
            case "join-filtered" -> to(prices.filter(Tables::even).leftJoin(table(builder, "more", config).mapValues(v -> v), Versioned::paired));
            case "join-unversioned-filter" -> to(prices.filter(Tables::even, Tables.store("even-rows", Recorder.JSON_SERDE)).leftJoin(table(builder, "more", config), Versioned::paired));
            case "join-versioned-result" -> to(prices.leftJoin(table(builder, "more", config), Versioned::paired, versions("joined-versions", config, Recorder.JSON_SERDE)));
            case "foreign-key" -> to(prices.join(table(builder, "more", config), v -> String.valueOf(v), Versioned::paired));
            case "foreign-key-left" -> to(prices.leftJoin(table(builder, "more", config), v -> String.valueOf(v), Versioned::paired));
            case "stream-inner" -> joined(builder, config, prices, false);
            case "stream-left" -> joined(builder, config, prices, true);
            case "stream-filtered" -> joined(builder, config, prices.filter(Tables::even).mapValues(v -> (Object) (number(v) * 10)), true);
            case "stream-of-count" -> joined(builder, config, builder.stream("more", Topologies.JSON).groupByKey(Grouped.with(Serdes.String(), Recorder.JSON_SERDE))
                .count(versions("counts", config, Serdes.Long())).mapValues(v -> (Object) v), true);
            case "stream-of-joined" -> joined(builder, config, prices.leftJoin(table(builder, "more", config), Versioned::paired), true);
            default -> throw new IllegalArgumentException(kind);
        }
    }

    static void to(KTable<String, Object> table) {
        table.toStream().to("out");
    }

    static void joined(StreamsBuilder builder, JsonNode config, KTable<String, Object> table, boolean left) {
        var orders = builder.stream("orders", Topologies.JSON);
        Joined<String, Object, Object> joined = Joined.<String, Object, Object>as("priced").withKeySerde(Serdes.String()).withValueSerde(Recorder.JSON_SERDE);
        if (config.has("grace_ms")) {
            joined = joined.withGracePeriod(Duration.ofMillis(config.get("grace_ms").asLong()));
        }
        (left ? orders.leftJoin(table, Versioned::paired, joined) : orders.join(table, Versioned::paired, joined)).to("out");
    }

    /** Puts, deletes and gets versions: a value is {"put": value}, {"delete": true}, {"get": true} or {"as_of": timestamp}. */
    static final class Versions implements Processor<String, Object, String, Object> {
        VersionedKeyValueStore<String, Object> store;
        ProcessorContext<String, Object> context;

        @Override
        public void init(ProcessorContext<String, Object> context) {
            this.context = context;
            store = context.getStateStore("versions");
        }

        @Override
        public void process(Record<String, Object> record) {
            var command = Recorder.JSON.valueToTree(record.value());
            if (command.has("put")) {
                var put = store.put(record.key(), Recorder.JSON.convertValue(command.get("put"), Object.class), record.timestamp());
                context.forward(record.withValue(put != VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT));
                return;
            }
            var found = command.has("delete") ? store.delete(record.key(), record.timestamp())
                : command.has("as_of") ? store.get(record.key(), command.get("as_of").asLong()) : store.get(record.key());
            var shown = new java.util.ArrayList<Object>();
            if (found != null) {
                shown.add(found.value());
                shown.add(found.timestamp());
            }
            context.forward(record.withValue(shown));
        }
    }

    static void reads(StreamsBuilder builder, JsonNode config) {
        builder.addStateStore(Stores.versionedKeyValueStoreBuilder(
            Stores.persistentVersionedKeyValueStore("versions", Duration.ofMillis(config.path("history_retention_ms").asLong(100))), Serdes.String(), Recorder.JSON_SERDE));
        builder.stream("commands", Topologies.JSON).process(Versions::new, "versions").to("out");
    }
}
