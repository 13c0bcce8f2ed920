package eddyline.interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Answers one line of JSON with one line of JSON until the input ends. */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Main() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = questions.readLine(); line != null; line = questions.readLine()) {
      answers.println(JSON.writeValueAsString(answer(JSON.readTree(line))));
    }
  }

  private static ObjectNode answer(JsonNode question) {
    ObjectNode answer = JSON.createObjectNode();
    try {
      switch (question.get("do").asText()) {
        case "read" -> answer.set("value", Values.read(question));
        case "write" -> answer.put("bytes", Values.write(question));
        case "produce" -> answer.put("produced", Topics.produce(question));
        case "consume" -> answer.set("records", Topics.consume(question));
        default -> throw new IllegalArgumentException("unknown: " + question.get("do"));
      }
    } catch (Exception error) {
      StringBuilder reason = new StringBuilder();
      for (Throwable cause = error; cause != null; cause = cause.getCause()) {
        reason.append(cause).append("; ");
      }
      answer.put("error", reason.toString());
    }
    return answer;
  }
}
