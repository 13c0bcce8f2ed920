package eddyline.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Produces and consumes records, with the serdes that a request specifies as "key" and "value". */
final class Topics {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private Topics() {}

  static int produce(JsonNode request) throws Exception {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", request.get("bootstrap").asText(), "acks", "all", "max.block.ms", TIMEOUT.toMillis() / 4);
    JsonNode key = request.get("key");
    JsonNode value = request.get("value");
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    try (KafkaProducer<Object, Object> producer =
        new KafkaProducer<>(settings, SerdeFactory.serde(key).serializer(), SerdeFactory.serde(value).serializer())) {
      for (JsonNode record : request.get("records")) {
        Object encoded = JsonValues.fromJson(value, record.get("value"));
        sent.add(
            producer.send(new ProducerRecord<>(request.get("topic").asText(), JsonValues.fromJson(key, record.get("key")), encoded)));
      }
      for (Future<RecordMetadata> delivery : sent) {
        delivery.get();
      }
    }
    return sent.size();
  }

  static ArrayNode consume(JsonNode request) throws IOException {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers", request.get("bootstrap").asText(),
            "group.id", request.get("group").asText(),
            "isolation.level", "read_committed",
            "auto.offset.reset", "earliest");
    ArrayNode records = JsonNodeFactory.instance.arrayNode();
    int wanted = request.get("count").asInt();
    Instant deadline = Instant.now().plus(TIMEOUT);
    try (KafkaConsumer<Object, Object> consumer =
        new KafkaConsumer<>(
            settings, SerdeFactory.serde(request.get("key")).deserializer(), SerdeFactory.serde(request.get("value")).deserializer())) {
      consumer.subscribe(List.of(request.get("topic").asText()));
      while (records.size() < wanted && Instant.now().isBefore(deadline)) {
        for (ConsumerRecord<Object, Object> record : consumer.poll(Duration.ofMillis(200))) {
          ObjectNode node = records.addObject();
          node.set("key", JsonValues.toJson(record.key()));
          node.set("value", JsonValues.toJson(record.value()));
        }
      }
    }
    return records;
  }
}
