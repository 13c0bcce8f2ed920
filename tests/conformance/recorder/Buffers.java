import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Buffers and stores of operators that the user chooses. */
final class Buffers {
    static void suppress(StreamsBuilder builder, JsonNode config) {
        var limit = BufferConfig.maxBytes(config.get("max_bytes").asLong());
        if (config.has("max_records")) {
            limit = limit.withMaxRecords(config.get("max_records").asLong());
        }
        builder.table("words", Topologies.JSON).mapValues(value -> (String) value, Materialized.with(Serdes.String(), Serdes.String()))
            .suppress(Suppressed.untilTimeLimit(Duration.ofMillis(1000), limit).withName("wait"))
            .toStream().mapValues(value -> (Object) value).to("out");
    }

    static void joinStores(StreamsBuilder builder, JsonNode config) {
        var windows = JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(10), Duration.ofMillis(5));
        var joined = StreamJoined.with(Serdes.String(), Recorder.JSON_SERDE, Recorder.JSON_SERDE).withStoreName("kept")
            .withThisStoreSupplier(Stores.inMemoryWindowStore("own-store", Duration.ofMillis(25), Duration.ofMillis(20), true));
        builder.stream("left", Topologies.JSON).leftJoin(builder.stream("right", Topologies.JSON), Tables::pair, windows, joined).to("joined");
    }

    /** Counts the records of each key in a store that the supplier brings along. */
    static final class Counting implements ProcessorSupplier<String, Object, String, Object> {
        final StoreBuilder<KeyValueStore<String, Long>> counts;

        Counting(StoreBuilder<KeyValueStore<String, Long>> counts) {
            this.counts = counts;
        }

        @Override
        public Set<StoreBuilder<?>> stores() {
            return Set.of(counts);
        }

        @Override
        public Processor<String, Object, String, Object> get() {
            return new Processor<>() {
                ProcessorContext<String, Object> context;
                KeyValueStore<String, Long> store;

                @Override
                public void init(ProcessorContext<String, Object> context) {
                    this.context = context;
                    store = context.getStateStore("calls");
                }

                @Override
                public void process(Record<String, Object> record) {
                    var count = store.get(record.key()) == null ? 1L : store.get(record.key()) + 1;
                    store.put(record.key(), count);
                    context.forward(record.withValue(count));
                }
            };
        }
    }

    static void connectedStores(StreamsBuilder builder, JsonNode config) {
        var counts = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("calls"), Serdes.String(), Serdes.Long());
        builder.stream("left", Topologies.JSON).process(new Counting(counts)).to("left-counts");
        builder.stream("right", Topologies.JSON).process(new Counting(counts)).to("right-counts");
    }
}
