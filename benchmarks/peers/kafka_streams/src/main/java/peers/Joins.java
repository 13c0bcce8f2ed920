package peers;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The joins of the sample flows clickstream and fb-notifications.
 *
 * <p>Clicks without a search are looked for every 100 ms of wall-clock time instead of every second, so that those of the last
 * windows are found while the program waits for the end: a closing record, which is not in the input topics, makes it look again.
 */
final class Joins {
    private static final long EMIT_INTERVAL_MS = 100;
    private static final Duration AROUND = Duration.ofSeconds(1);
    private static final String CLOSING = "closing";

    public record Click(String userId, String page) {
    }

    public record Search(String searchTerms) {
    }

    public record Profile(String userName, String zipcode, List<String> interests) {
    }

    public record Activity(
        String userId, String userName, String zipcode, List<String> interests, String searchTerm, String page) {
        static Activity of(String user, Click click, Profile profile) {
            return profile == null
                ? new Activity(user, "", "", null, "", click.page)
                : new Activity(user, profile.userName, profile.zipcode, profile.interests, "", click.page);
        }

        Activity with(Search search) {
            String term = search == null || search.searchTerms == null ? "" : search.searchTerms;
            return new Activity(userId, userName, zipcode, interests, term, page);
        }
    }

    public record Notification(String message) {
    }

    public record Tick(long number) {
    }

    private static final Notification NOT_VIEWING = new Notification("You are not currently viewing Facebook.");

    private Joins() {
    }

    static void configure(Properties settings) {
        settings.put(StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_OUTER_JOIN_SPURIOUS_RESULTS_FIX, EMIT_INTERVAL_MS);
    }

    static void clickstream(StreamsBuilder builder, Marks marks, List<String> sources, String sink) {
        KStream<String, Click> clicks = stream(builder, marks, List.of(sources.get(0), closingTopic()), Json.of(Click.class));
        KTable<String, Profile> profiles = table(builder, marks, sources.get(1), Json.of(Profile.class));
        KStream<String, Search> searches = stream(builder, marks, List.of(sources.get(2)), Json.of(Search.class));
        clicks.leftJoin(profiles, Activity::of, Joined.with(Serdes.String(), Json.of(Click.class), Json.of(Profile.class)))
            .leftJoin(searches, Activity::with, JoinWindows.ofTimeDifferenceWithNoGrace(AROUND),
                StreamJoined.with(Serdes.String(), Json.of(Activity.class), Json.of(Search.class)))
            .to(sink, Produced.with(Serdes.String(), Json.of(Activity.class)));
    }

    static void notifications(StreamsBuilder builder, Marks marks, List<String> sources, String sink) {
        KTable<String, String> lastActions = table(builder, marks, sources.get(1), Serdes.String());
        stream(builder, marks, List.of(sources.get(0)), Json.of(Tick.class))
            .leftJoin(lastActions, (tick, action) -> "Close".equals(action) ? NOT_VIEWING : null,
                Joined.with(Serdes.String(), Json.of(Tick.class), Serdes.String()))
            .filter((user, notification) -> notification != null)
            .to(sink, Produced.with(Serdes.String(), Json.of(Notification.class)));
    }

    /** Creates the topic of the closing records, with as many partitions as a topic of the input. */
    static void createClosingTopic(String source) throws Exception {
        try (Admin admin = Admin.create(brokers())) {
            int partitions = admin.describeTopics(List.of(source)).allTopicNames().get().get(source).partitions().size();
            admin.createTopics(List.of(new NewTopic(closingTopic(), partitions, (short) 1))).all().get();
        }
    }

    /** Writes a record to each partition of the closing topic, at the present time, which is after all windows. */
    static void close() throws InterruptedException {
        Thread.sleep(2 * EMIT_INTERVAL_MS);
        try (var producer = new KafkaProducer<>(brokers(), new StringSerializer(), new StringSerializer())) {
            for (var partition : producer.partitionsFor(closingTopic())) {
                producer.send(new ProducerRecord<>(closingTopic(), partition.partition(), CLOSING, "{}"));
            }
        }
    }

    private static Map<String, Object> brokers() {
        return Map.of("bootstrap.servers", System.getenv("BOOTSTRAP_SERVERS"));
    }

    private static String closingTopic() {
        return System.getenv("NAME") + "-closing";
    }

    private static <V> KStream<String, V> stream(StreamsBuilder builder, Marks marks, List<String> topics, Serde<V> values) {
        return marks.counted(builder.stream(topics, Consumed.with(Serdes.String(), values)));
    }

    private static <V> KTable<String, V> table(StreamsBuilder builder, Marks marks, String topic, Serde<V> values) {
        return stream(builder, marks, List.of(topic), values)
            .toTable(Materialized.<String, V, KeyValueStore<Bytes, byte[]>>as("table")
                .withKeySerde(Serdes.String()).withValueSerde(values));
    }
}
