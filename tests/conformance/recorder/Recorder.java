import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.ValueTimestampHeaders;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.test.TestRecord;

/**
 * Runs the topologies of {@link Topologies} in Kafka Streams' TopologyTestDriver over case files and writes what they answer:
 *
 * <pre>
 * mvn -q dependency:copy-dependencies -DoutputDirectory=libs
 * javac -d classes -cp 'libs/*' *.java
 * java -cp 'classes:libs/*' Recorder ../cases/table-filter/plain.json
 * </pre>
 */
public class Recorder {
    static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        for (var argument : arguments) {
            var path = Path.of(argument);
            var answer = record(JSON.readTree(path.toFile()));
            Files.writeString(path.resolveSibling(path.getFileName().toString().replace(".json", ".expected.json")), answer);
        }
    }

    static String record(JsonNode testCase) throws Exception {
        var config = testCase.path("config");
        var builder = new StreamsBuilder();
        Topologies.build(testCase.get("topology").asText(), builder, config);
        var properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "replay");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, Files.createTempDirectory("recorder").toString());
        properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, JsonSerde.class);
        properties.put("__emit.interval.ms.kstreams.windowed.aggregation__", 0L);
        properties.put("__emit.interval.ms.kstreams.outer.join.spurious.results.fix__", 0L);
        var output = new ArrayList<String>();
        try (var driver = new TopologyTestDriver(builder.build(), properties, Instant.ofEpochMilli(0))) {
            var sent = sent(driver);
            var inputs = new LinkedHashMap<String, TestInputTopic<String, Object>>();
            var step = 0;
            for (var input : testCase.get("input")) {
                if (input.has("advance_wall_clock_ms")) {
                    driver.advanceWallClockTime(Duration.ofMillis(input.get("advance_wall_clock_ms").asLong()));
                } else {
                    inputs.computeIfAbsent(input.get("topic").asText(), topic ->
                        driver.createInputTopic(topic, new StringSerializer(), JSON_SERDE.serializer())).pipeInput(testRecord(input));
                }
                for (var record : sent) {
                    output.add(line(record, step));
                }
                sent.clear();
                step++;
            }
            var stores = new ArrayList<String>();
            for (var store : new TreeMap<>(driver.getAllStateStores()).entrySet()) {
                if (store.getValue() != null && !store.getKey().matches(Topologies.INTERNAL_STORES)) {
                    stores.add(JSON.writeValueAsString(store.getKey()) + ": [" + rows(driver, store.getKey(), store.getValue()) + "]");
                }
            }
            return "{\"kafka_streams_version\": \"4.3.0\",\n\"output\": [" + lines(output) + "],\n\"stores\": {" + lines(stores) + "}}\n";
        }
    }

    static TestRecord<String, Object> testRecord(JsonNode input) throws Exception {
        var headers = new RecordHeaders();
        input.path("headers").properties().forEach(h -> headers.add(h.getKey(), h.getValue().asText().getBytes(StandardCharsets.UTF_8)));
        var key = input.get("key").isNull() ? null : input.get("key").asText();
        return new TestRecord<>(key, JSON.convertValue(input.get("value"), Object.class), headers, input.get("timestamp").asLong());
    }

    /** Make the driver keep the records of all topics in the order in which they were sent, and return them. */
    static List<ProducerRecord<byte[], byte[]>> sent(TopologyTestDriver driver) throws Exception {
        var sent = new ArrayList<ProducerRecord<byte[], byte[]>>();
        var field = TopologyTestDriver.class.getDeclaredField("outputRecordsByTopic");
        field.setAccessible(true);
        field.set(driver, new HashMap<String, Queue<ProducerRecord<byte[], byte[]>>>() {
            @Override
            public Queue<ProducerRecord<byte[], byte[]>> computeIfAbsent(
                String topic, Function<? super String, ? extends Queue<ProducerRecord<byte[], byte[]>>> ignored
            ) {
                return new LinkedList<>() {
                    @Override
                    public boolean add(ProducerRecord<byte[], byte[]> record) {
                        return topic.matches(".*-(repartition|topic|changelog)") || sent.add(record);
                    }
                };
            }
        });
        return sent;
    }

    static String line(ProducerRecord<byte[], byte[]> record, int step) throws Exception {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("topic", record.topic());
        fields.put("key", key(record.topic(), record.key()));
        fields.put("value", JSON_SERDE.deserializer().deserialize(record.topic(), record.value()));
        fields.put("timestamp", record.timestamp());
        var headers = new LinkedHashMap<String, Object>();
        record.headers().forEach(h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
        if (!headers.isEmpty()) {
            fields.put("headers", headers);
        }
        fields.put("after_input", step);
        return JSON.writeValueAsString(fields);
    }

    static Object key(String topic, byte[] key) {
        if (key == null || !Topologies.WINDOWED_TOPICS.containsKey(topic)) {
            return new StringDeserializer().deserialize(topic, key);
        }
        var start = java.nio.ByteBuffer.wrap(key, key.length - 8, 8).getLong();
        var text = new String(key, 0, key.length - 8, StandardCharsets.UTF_8);
        return Map.of("key", text, "window", new TreeMap<>(Map.of("start", start, "end", start + Topologies.WINDOWED_TOPICS.get(topic))));
    }

    static String rows(TopologyTestDriver driver, String name, StateStore store) throws Exception {
        var rows = new ArrayList<Map<String, Object>>();
        if (store instanceof WindowStore) {
            try (var all = driver.<Object, Object>getTimestampedWindowStore(name).all()) {
                while (all.hasNext()) {
                    var entry = all.next();
                    var key = (Windowed<?>) entry.key;
                    var row = row(key.key(), entry.value);
                    row.put("window", new TreeMap<>(Map.of("start", key.window().start(), "end", key.window().end())));
                    rows.add(row);
                }
            }
        } else {
            try (var all = ((ReadOnlyKeyValueStore<?, ?>) store).all()) {
                while (all.hasNext()) {
                    KeyValue<?, ?> entry = all.next();
                    rows.add(row(entry.key, entry.value));
                }
            }
        }
        rows.sort(Comparator.<Map<String, Object>, String>comparing(row -> row.get("key").toString()).thenComparing(Recorder::start));
        var texts = new ArrayList<String>();
        for (var row : rows) {
            texts.add(JSON.writeValueAsString(row));
        }
        return lines(texts);
    }

    static Long start(Map<String, Object> row) {
        return row.get("window") instanceof Map<?, ?> window ? (Long) window.get("start") : Long.valueOf(0);
    }

    static Map<String, Object> row(Object key, Object value) {
        var row = new LinkedHashMap<String, Object>();
        row.put("key", key);
        if (value instanceof ValueAndTimestamp<?> timed) {
            row.put("value", timed.value());
            row.put("timestamp", timed.timestamp());
        } else if (value instanceof ValueTimestampHeaders<?> timed) {
            row.put("value", timed.value());
            row.put("timestamp", timed.timestamp());
        } else {
            row.put("value", value);
        }
        return row;
    }

    static String lines(List<String> found) {
        return found.isEmpty() ? "" : "\n" + String.join(",\n", found);
    }

    static final Serde<Object> JSON_SERDE = new JsonSerde();

    /** JSON of any value; no bytes for null. */
    public static class JsonSerde extends Serdes.WrapperSerde<Object> {
        public JsonSerde() {
            super((topic, value) -> encode(value), (topic, bytes) -> decode(bytes));
        }

        static byte[] encode(Object value) {
            try {
                return value == null ? null : JSON.writeValueAsBytes(value);
            } catch (IOException invalid) {
                throw new UncheckedIOException(invalid);
            }
        }

        static Object decode(byte[] bytes) {
            try {
                return bytes == null ? null : JSON.readValue(bytes, Object.class);
            } catch (IOException invalid) {
                throw new UncheckedIOException(invalid);
            }
        }
    }
}
