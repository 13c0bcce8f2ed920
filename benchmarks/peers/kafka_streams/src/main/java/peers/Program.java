package peers;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.WindowStore;

/** The workloads of the benchmarks on Kafka Streams, with two threads; settings come from the environment. */
public final class Program {
    private static final ObjectMapper JSON = new ObjectMapper();

    @JsonIgnoreProperties(ignoreUnknown = true)
    public static final class Trade {
        public String ticker;
        public double price;
    }

    public static final class Stats {
        public double min = Double.MAX_VALUE;
        public long count;
        public double sum;

        Stats add(Trade trade) {
            min = Math.min(min, trade.price);
            count++;
            sum += trade.price;
            return this;
        }
    }

    public record Result(String ticker, long start, double min, long count, double avg) {
        static Result of(String ticker, long start, Stats stats) {
            return new Result(ticker, start, stats.min, stats.count, stats.sum / stats.count);
        }
    }

    public record WordCount(String ticker, long count) {
    }

    public static void main(String[] arguments) throws Exception {
        String workload = arguments[0];
        long records = Long.parseLong(System.getenv("RECORDS"));
        CountDownLatch read = new CountDownLatch(1);
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, byte[]> source =
            builder.stream(System.getenv("SOURCE"), Consumed.with(Serdes.String(), Serdes.ByteArray()));
        define(workload, marked(source, records, read));
        KafkaStreams streams = new KafkaStreams(builder.build(), settings());
        streams.setUncaughtExceptionHandler(error -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        read.await();
        drain(streams);
        streams.close(Duration.ofSeconds(60));
        mark("last");
        System.exit(0);
    }

    private static void define(String workload, KStream<String, byte[]> source) {
        String sink = System.getenv("SINK");
        if (workload.equals("word-count")) {
            source.flatMapValues(line -> List.of(new String(line, StandardCharsets.UTF_8).split(" ")))
                .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
                .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts").withKeySerde(Serdes.String()))
                .toStream()
                .mapValues(WordCount::new)
                .to(sink, Produced.with(Serdes.String(), json(WordCount.class)));
            return;
        }
        var trades = source.mapValues(value -> json(Trade.class).deserializer().deserialize(null, value))
            .groupByKey(Grouped.with(Serdes.String(), json(Trade.class)));
        if (workload.equals("latency")) {
            trades.aggregate(Stats::new, (key, trade, stats) -> stats.add(trade),
                    Materialized.<String, Stats, KeyValueStore<Bytes, byte[]>>as("stats")
                        .withKeySerde(Serdes.String()).withValueSerde(json(Stats.class)))
                .toStream()
                .mapValues((ticker, stats) -> Result.of(ticker, 0, stats))
                .to(sink, Produced.with(Serdes.String(), json(Result.class)));
            return;
        }
        trades.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofSeconds(5)).advanceBy(Duration.ofSeconds(1)))
            .aggregate(Stats::new, (key, trade, stats) -> stats.add(trade),
                Materialized.<String, Stats, WindowStore<Bytes, byte[]>>as("stats")
                    .withKeySerde(Serdes.String()).withValueSerde(json(Stats.class)))
            .toStream()
            .map((key, stats) -> KeyValue.pair(
                key.key() + "@" + key.window().start(), Result.of(key.key(), key.window().start(), stats)))
            .to(sink, Produced.with(Serdes.String(), json(Result.class)));
    }

    private static Properties settings() {
        Properties found = new Properties();
        found.put(StreamsConfig.APPLICATION_ID_CONFIG, System.getenv("NAME"));
        found.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, System.getenv("BOOTSTRAP_SERVERS"));
        found.put(StreamsConfig.STATE_DIR_CONFIG, System.getenv("FOLDER"));
        found.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        found.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        for (String setting : System.getenv().getOrDefault("SETTINGS", "").split(",")) {
            if (!setting.isEmpty()) {
                found.put(setting.split("=")[0], setting.split("=")[1]);
            }
        }
        return found;
    }

    private static KStream<String, byte[]> marked(KStream<String, byte[]> source, long records, CountDownLatch read) {
        AtomicLong seen = new AtomicLong();
        return source.peek((key, value) -> {
            long number = seen.incrementAndGet();
            if (number == 1) {
                mark("first");
            }
            if (number == records / 4) {
                mark("quarter");
            }
            if (number == records) {
                read.countDown();
            }
        });
    }

    /** Waits until nothing is left to read, in repartition topics neither. */
    private static void drain(KafkaStreams streams) throws InterruptedException {
        for (int quiet = 0; quiet < 3; ) {
            Thread.sleep(200);
            double lag = streams.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("records-lag"))
                .mapToDouble(metric -> metric.metricValue() instanceof Double found && !found.isNaN() ? found : 0)
                .sum();
            quiet = lag == 0 ? quiet + 1 : 0;
        }
    }

    private static <T> Serde<T> json(Class<T> type) {
        return Serdes.serdeFrom((topic, value) -> {
            try {
                return value == null ? null : JSON.writeValueAsBytes(value);
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        }, (topic, bytes) -> {
            try {
                return bytes == null ? null : JSON.readValue(bytes, type);
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
    }

    private static void mark(String name) {
        System.out.printf(Locale.ROOT, "MARK %s %.3f%n", name, System.currentTimeMillis() / 1000.0);
        System.out.flush();
    }
}
