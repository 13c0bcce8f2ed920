import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Global stores, and global tables that no operator uses. */
final class Globals {
    /** Keeps the greatest number of each key, and the timestamp of the record. */
    static final class Greatest implements Processor<String, Object, Void, Void> {
        KeyValueStore<String, Object> store;

        @Override
        public void init(ProcessorContext<Void, Void> context) {
            store = context.getStateStore("greatest");
        }

        @Override
        public void process(Record<String, Object> record) {
            if (record.key() == null) {
                return;
            }
            if (record.value() == null) {
                store.delete(record.key());
            } else if (store.get(record.key()) == null || ((Number) store.get(record.key())).intValue() < ((Number) record.value()).intValue()) {
                store.put(record.key(), record.value());
            }
        }
    }

    /** Adds the greatest number of the key. */
    static final class Looking extends ContextualProcessor<String, Object, String, Object> {
        @Override
        public void process(Record<String, Object> record) {
            KeyValueStore<String, Object> store = context().getStateStore("greatest");
            context().forward(record.withValue(Tables.pair(record.value(), store.get(record.key()))));
        }
    }

    static void store(StreamsBuilder builder, JsonNode config) {
        builder.addGlobalStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("greatest"), Serdes.String(), Recorder.JSON_SERDE)
            .withLoggingDisabled(), "numbers", Topologies.JSON, Greatest::new);
        builder.stream("in", Topologies.JSON).process(Looking::new).to("out");
    }

    static void unused(StreamsBuilder builder, JsonNode config) {
        builder.globalTable("countries", Topologies.JSON, Tables.store("countries-rows", Recorder.JSON_SERDE));
        builder.stream("in", Topologies.JSON).to("out");
    }
}
