package eddyline.interop;

import com.fasterxml.jackson.databind.JsonNode;
import io.apicurio.registry.serde.avro.AvroKafkaDeserializer;
import io.apicurio.registry.serde.avro.AvroKafkaSerializer;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.WindowedSerdes;

/** Creates the serde for a specification such as {"type": "time-windowed", "inner": {"type": "string"}, "sizeMs": 5000}. */
final class SerdeFactory {
  private static final Map<String, Serde<Object>> AVRO = new HashMap<>();

  private SerdeFactory() {}

  @SuppressWarnings("unchecked")
  static Serde<Object> serde(JsonNode spec) {
    return (Serde<Object>)
        switch (spec.get("type").asText()) {
          case "string" -> Serdes.String();
          case "long" -> Serdes.Long();
          case "int" -> Serdes.Integer();
          case "double" -> Serdes.Double();
          case "uuid" -> Serdes.UUID();
          case "bytes" -> Serdes.ByteArray();
          case "time-windowed" -> new WindowedSerdes.TimeWindowedSerde<>(serde(spec.get("inner")), spec.get("sizeMs").asLong());
          case "session-windowed" -> new WindowedSerdes.SessionWindowedSerde<>(serde(spec.get("inner")));
          case "avro" -> AVRO.computeIfAbsent(spec.toString(), key -> avro(spec));
          default -> throw new IllegalArgumentException("unknown serde: " + spec);
        };
  }

  private static Serde<Object> avro(JsonNode spec) {
    Map<String, Object> settings =
        Map.of(
            "apicurio.registry.url", spec.get("registry").asText(),
            "apicurio.registry.as-confluent", true,
            "apicurio.registry.use-id", "contentId",
            "apicurio.registry.auto-register", true,
            "apicurio.registry.auto-register.if-exists", "RETURN_OR_UPDATE",
            "apicurio.registry.headers.enabled", false);
    boolean key = spec.path("key").asBoolean(false);
    AvroKafkaSerializer<Object> serializer = new AvroKafkaSerializer<>();
    AvroKafkaDeserializer<Object> deserializer = new AvroKafkaDeserializer<>();
    serializer.configure(settings, key);
    deserializer.configure(settings, key);
    return Serdes.serdeFrom(serializer, deserializer);
  }
}
