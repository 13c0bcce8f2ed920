package eddyline.interop;

import com.fasterxml.jackson.databind.JsonNode;
import io.apicurio.registry.serde.avro.AvroKafkaDeserializer;
import io.apicurio.registry.serde.avro.AvroKafkaSerializer;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.WindowedSerdes;

/** Finds the serde of a form: {"form": "time-windowed", "of": {"form": "string"}, "sizeMs": 5000}. */
final class Forms {
  private static final Map<String, Serde<Object>> AVRO = new HashMap<>();

  private Forms() {}

  @SuppressWarnings("unchecked")
  static Serde<Object> serde(JsonNode form) {
    return (Serde<Object>)
        switch (form.get("form").asText()) {
          case "string" -> Serdes.String();
          case "long" -> Serdes.Long();
          case "int" -> Serdes.Integer();
          case "double" -> Serdes.Double();
          case "uuid" -> Serdes.UUID();
          case "bytes" -> Serdes.ByteArray();
          case "time-windowed" -> new WindowedSerdes.TimeWindowedSerde<>(serde(form.get("of")), form.get("sizeMs").asLong());
          case "session-windowed" -> new WindowedSerdes.SessionWindowedSerde<>(serde(form.get("of")));
          case "avro" -> AVRO.computeIfAbsent(form.toString(), key -> avro(form));
          default -> throw new IllegalArgumentException("unknown form: " + form);
        };
  }

  private static Serde<Object> avro(JsonNode form) {
    Map<String, Object> settings =
        Map.of(
            "apicurio.registry.url", form.get("registry").asText(),
            "apicurio.registry.as-confluent", true,
            "apicurio.registry.use-id", "contentId",
            "apicurio.registry.auto-register", true,
            "apicurio.registry.auto-register.if-exists", "RETURN_OR_UPDATE",
            "apicurio.registry.headers.enabled", false);
    boolean key = form.path("key").asBoolean(false);
    AvroKafkaSerializer<Object> serializer = new AvroKafkaSerializer<>();
    AvroKafkaDeserializer<Object> deserializer = new AvroKafkaDeserializer<>();
    serializer.configure(settings, key);
    deserializer.configure(settings, key);
    return Serdes.serdeFrom(serializer, deserializer);
  }
}
