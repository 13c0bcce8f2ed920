package peers;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;

/** The workloads of the benchmarks on Kafka Streams, with two threads; settings come from the environment. */
public final class Program {
    public static void main(String[] arguments) throws Exception {
        String workload = arguments[0];
        boolean closes = workload.equals("clickstream");
        Marks marks = new Marks(Long.parseLong(System.getenv("RECORDS")));
        List<String> sources = List.of(System.getenv("SOURCE").split(","));
        StreamsBuilder builder = new StreamsBuilder();
        define(builder, workload, marks, sources);
        Properties settings = settings();
        if (closes) {
            Joins.configure(settings);
            Joins.createClosingTopic(sources.get(0));
        }
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        streams.setUncaughtExceptionHandler(error -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        marks.awaitAllRead();
        if (closes) {
            Joins.close();
        }
        drain(streams);
        streams.close(Duration.ofSeconds(60));
        Marks.print("last");
        System.exit(0);
    }

    private static void define(StreamsBuilder builder, String workload, Marks marks, List<String> sources) {
        String sink = System.getenv("SINK");
        switch (workload) {
            case "clickstream" -> Joins.clickstream(builder, marks, sources, sink);
            case "notifications" -> Joins.notifications(builder, marks, sources, sink);
            default -> Aggregations.define(workload, marks.counted(
                builder.stream(sources.get(0), Consumed.with(Serdes.String(), Serdes.ByteArray()))), sink);
        }
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
}
