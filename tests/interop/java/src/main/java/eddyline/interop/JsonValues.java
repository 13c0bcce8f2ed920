package eddyline.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericContainer;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.io.JsonEncoder;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.kstream.Window;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.kstream.internals.TimeWindow;

/** Converts values between JSON and the bytes of a serde; Avro records use Avro's JSON encoding. */
final class JsonValues {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final ObjectMapper JSON = new ObjectMapper();

  private JsonValues() {}

  static JsonNode deserialize(JsonNode request) throws IOException {
    Serde<Object> serde = SerdeFactory.serde(request.get("serde"));
    byte[] bytes = Base64.getDecoder().decode(request.get("bytes").asText());
    return toJson(serde.deserializer().deserialize(request.path("topic").asText("t"), bytes));
  }

  static String serialize(JsonNode request) throws IOException {
    Serde<Object> serde = SerdeFactory.serde(request.get("serde"));
    byte[] bytes = serde.serializer().serialize(request.path("topic").asText("t"), fromJson(request.get("serde"), request.get("value")));
    return Base64.getEncoder().encodeToString(bytes);
  }

  static JsonNode toJson(Object value) throws IOException {
    if (value == null) {
      return NODES.nullNode();
    }
    if (value instanceof Windowed<?> windowed) {
      ObjectNode node = NODES.objectNode();
      node.set("key", toJson(windowed.key()));
      node.put("start", windowed.window().start());
      node.put("end", windowed.window().end());
      return node;
    }
    if (value instanceof byte[] bytes) {
      return NODES.textNode(Base64.getEncoder().encodeToString(bytes));
    }
    if (value instanceof GenericContainer container) {
      return avroToJson(container.getSchema(), value);
    }
    if (value instanceof Long || value instanceof Integer) {
      return NODES.numberNode(((Number) value).longValue());
    }
    if (value instanceof Double number) {
      return NODES.numberNode(number);
    }
    return NODES.textNode(value.toString());
  }

  static Object fromJson(JsonNode spec, JsonNode value) throws IOException {
    return switch (spec.get("type").asText()) {
      case "string" -> value.asText();
      case "long" -> value.asLong();
      case "int" -> value.asInt();
      case "double" -> value.asDouble();
      case "uuid" -> UUID.fromString(value.asText());
      case "bytes" -> Base64.getDecoder().decode(value.asText());
      case "avro" -> avroFromJson(new Schema.Parser().parse(spec.get("schema").asText()), value);
      case "time-windowed" -> windowed(spec, value, new TimeWindow(value.get("start").asLong(), value.get("end").asLong()));
      case "session-windowed" -> windowed(spec, value, new SessionWindow(value.get("start").asLong(), value.get("end").asLong()));
      default -> throw new IllegalArgumentException("unknown serde: " + spec);
    };
  }

  private static Windowed<Object> windowed(JsonNode spec, JsonNode value, Window window) throws IOException {
    return new Windowed<>(fromJson(spec.get("inner"), value.get("key")), window);
  }

  private static JsonNode avroToJson(Schema schema, Object value) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    JsonEncoder encoder = EncoderFactory.get().jsonEncoder(schema, text);
    new GenericDatumWriter<>(schema).write(value, encoder);
    encoder.flush();
    return JSON.readTree(text.toByteArray());
  }

  private static Object avroFromJson(Schema schema, JsonNode value) throws IOException {
    return new GenericDatumReader<>(schema).read(null, DecoderFactory.get().jsonDecoder(schema, value.toString()));
  }
}
