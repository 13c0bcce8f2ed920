package eddyline.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Reads requests as lines of JSON from standard input, and writes one line of JSON in response to each. */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Main() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream responses = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      responses.println(JSON.writeValueAsString(respond(JSON.readTree(line))));
    }
  }

  private static ObjectNode respond(JsonNode request) {
    ObjectNode response = JSON.createObjectNode();
    try {
      switch (request.get("action").asText()) {
        case "deserialize" -> response.set("value", JsonValues.deserialize(request));
        case "serialize" -> response.put("bytes", JsonValues.serialize(request));
        case "produce" -> response.put("produced", Topics.produce(request));
        case "consume" -> response.set("records", Topics.consume(request));
        default -> throw new IllegalArgumentException("unknown action: " + request.get("action"));
      }
    } catch (Exception error) {
      StringBuilder causes = new StringBuilder();
      for (Throwable cause = error; cause != null; cause = cause.getCause()) {
        causes.append(cause).append("; ");
      }
      response.put("error", causes.toString());
    }
    return response;
  }
}
