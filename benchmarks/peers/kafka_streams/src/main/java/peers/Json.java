package peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/** Serdes of JSON. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {
    }

    static <T> Serde<T> of(Class<T> type) {
        return Serdes.serdeFrom((topic, value) -> {
            try {
                return value == null ? null : MAPPER.writeValueAsBytes(value);
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        }, (topic, bytes) -> {
            try {
                return bytes == null ? null : MAPPER.readValue(bytes, type);
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
    }
}
