package peers;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.WindowStore;

/** Counts of words, and statistics of trades with and without windows. */
final class Aggregations {
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

    private Aggregations() {
    }

    static void define(String workload, KStream<String, byte[]> source, String sink) {
        if (workload.equals("word-count")) {
            source.flatMapValues(line -> List.of(new String(line, StandardCharsets.UTF_8).split(" ")))
                .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
                .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts").withKeySerde(Serdes.String()))
                .toStream()
                .mapValues(WordCount::new)
                .to(sink, Produced.with(Serdes.String(), Json.of(WordCount.class)));
            return;
        }
        var decoder = Json.of(Trade.class).deserializer();
        var trades = source.mapValues(value -> decoder.deserialize(null, value))
            .groupByKey(Grouped.with(Serdes.String(), Json.of(Trade.class)));
        if (workload.equals("latency") || workload.equals("trade-stats")) {
            trades.aggregate(Stats::new, (key, trade, stats) -> stats.add(trade),
                    Materialized.<String, Stats, KeyValueStore<Bytes, byte[]>>as("stats")
                        .withKeySerde(Serdes.String()).withValueSerde(Json.of(Stats.class)))
                .toStream()
                .mapValues((ticker, stats) -> Result.of(ticker, 0, stats))
                .to(sink, Produced.with(Serdes.String(), Json.of(Result.class)));
            return;
        }
        trades.windowedBy(TimeWindows.ofSizeWithNoGrace(Duration.ofSeconds(5)).advanceBy(Duration.ofSeconds(1)))
            .aggregate(Stats::new, (key, trade, stats) -> stats.add(trade),
                Materialized.<String, Stats, WindowStore<Bytes, byte[]>>as("stats")
                    .withKeySerde(Serdes.String()).withValueSerde(Json.of(Stats.class)))
            .toStream()
            .map((key, stats) -> KeyValue.pair(
                key.key() + "@" + key.window().start(), Result.of(key.key(), key.window().start(), stats)))
            .to(sink, Produced.with(Serdes.String(), Json.of(Result.class)));
    }
}
