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

/** Records through a broker, with the serdes of the forms "key" and "value" of the question. */
final class Topics {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Topics() {}

  static int produce(JsonNode question) throws Exception {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", question.get("bootstrap").asText(), "acks", "all", "max.block.ms", PATIENCE.toMillis() / 4);
    JsonNode key = question.get("key");
    JsonNode value = question.get("value");
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    try (KafkaProducer<Object, Object> producer =
        new KafkaProducer<>(settings, Forms.serde(key).serializer(), Forms.serde(value).serializer())) {
      for (JsonNode record : question.get("records")) {
        Object encoded = Values.fromJson(value, record.get("value"));
        sent.add(
            producer.send(new ProducerRecord<>(question.get("topic").asText(), Values.fromJson(key, record.get("key")), encoded)));
      }
      for (Future<RecordMetadata> one : sent) {
        one.get();
      }
    }
    return sent.size();
  }

  static ArrayNode consume(JsonNode question) throws IOException {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers", question.get("bootstrap").asText(),
            "group.id", question.get("group").asText(),
            "isolation.level", "read_committed",
            "auto.offset.reset", "earliest");
    ArrayNode found = JsonNodeFactory.instance.arrayNode();
    int wanted = question.get("count").asInt();
    Instant end = Instant.now().plus(PATIENCE);
    try (KafkaConsumer<Object, Object> consumer =
        new KafkaConsumer<>(
            settings, Forms.serde(question.get("key")).deserializer(), Forms.serde(question.get("value")).deserializer())) {
      consumer.subscribe(List.of(question.get("topic").asText()));
      while (found.size() < wanted && Instant.now().isBefore(end)) {
        for (ConsumerRecord<Object, Object> record : consumer.poll(Duration.ofMillis(200))) {
          ObjectNode node = found.addObject();
          node.set("key", Values.toJson(record.key()));
          node.set("value", Values.toJson(record.value()));
        }
      }
    }
    return found;
  }
}
