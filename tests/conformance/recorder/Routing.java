import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Functions that choose topics and partitions. */
final class Routing {
    /** Forwards records one millisecond later, and one with each stream-time punctuation. */
    static final class Later implements Processor<String, Object, String, Object> {
        ProcessorContext<String, Object> context;

        @Override
        public void init(ProcessorContext<String, Object> context) {
            this.context = context;
            context.schedule(Duration.ofMillis(100), PunctuationType.STREAM_TIME, now -> context.forward(new Record<>("tick", "t", now)));
        }

        @Override
        public void process(Record<String, Object> record) {
            context.forward(record.withTimestamp(record.timestamp() + 1));
        }
    }

    static void topics(StreamsBuilder builder, JsonNode config) {
        builder.stream("in", Topologies.JSON).process(Later::new).to((key, value, context) -> String.join("-", List.of(
            String.valueOf(context.topic()), String.valueOf(context.partition()), String.valueOf(context.offset()),
            String.valueOf(context.timestamp()), String.valueOf(context.headers().toArray().length))));
    }

    static void patterns(StreamsBuilder builder, JsonNode config) {
        var logs = builder.stream(Pattern.compile("logs-[a-z]+"), Topologies.JSON).merge(builder.stream("audit", Topologies.JSON));
        logs.to("all-logs");
        logs.groupByKey(Grouped.with(Serdes.String(), Recorder.JSON_SERDE)).count(Tables.store("counts", Serdes.Long()))
            .toStream().to("counted", Produced.with(Serdes.String(), Values.LONGS));
    }

    /** Chooses 0 or more partitions by the value, or leaves the choice to the default partitioner. */
    static StreamPartitioner<String, Object> byValue() {
        return (topic, key, value, partitions) -> switch (String.valueOf(value)) {
            case "none" -> Optional.of(Set.of());
            case "all" -> {
                var all = new LinkedHashSet<Integer>();
                for (var partition = 0; partition < partitions; partition++) {
                    all.add(partition);
                }
                yield Optional.of(all);
            }
            default -> Optional.empty();
        };
    }

    static void partitioners(StreamsBuilder builder, JsonNode config) {
        var moved = builder.stream("in", Topologies.JSON).repartition(Repartitioned.<String, Object>as("moved")
            .withKeySerde(Serdes.String()).withValueSerde(Recorder.JSON_SERDE).withStreamPartitioner(byValue()));
        moved.groupByKey(Grouped.with(Serdes.String(), Recorder.JSON_SERDE)).count(Tables.store("counts", Serdes.Long()))
            .toStream().to("counted", Produced.with(Serdes.String(), Values.LONGS));
        builder.stream("more", Topologies.JSON).to("out", Produced.with(Serdes.String(), Recorder.JSON_SERDE, byValue()));
    }
}
