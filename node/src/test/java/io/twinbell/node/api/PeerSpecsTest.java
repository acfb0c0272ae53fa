package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.json.Instants;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The tables that the peers test themselves by, asked of the preview endpoint. */
class PeerSpecsTest {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm[:ss][.SSS][XXX]");

    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    private record SpecLine(List<String> options, String expression, String from, String expected) {
        static SpecLine of(String text) {
            String[] parts = text.replaceFirst("^! *", "").split("\\|");
            assertEquals(4, parts.length, text);
            return new SpecLine(
                    List.of(parts[0].strip().split(" ")), parts[1].strip(), parts[2].strip(), parts[3].strip());
        }

        ObjectNode question() {
            ObjectNode question = JsonNodeFactory.instance.objectNode();
            ObjectNode schedule = question.putObject("schedule").put("cron", expression);
            schedule.put("dialect", options.get(0));
            schedule.put("dstGap", options.contains("SKIP") ? "SKIP" : "SHIFT");
            schedule.put("dstOverlap", options.contains("TWICE") ? "TWICE" : "ONCE");
            if (!expression.contains("TZ=")) {
                schedule.put("zone", zone().getId());
            }
            question.put("from", instant(from));
            question.put("direction", options.contains("BACKWARD") ? "BACKWARD" : "FORWARD");
            return question.put("count", expected.split(",").length);
        }

        ZoneId zone() {
            return ZoneId.of(options.stream()
                    .skip(1)
                    .filter(option -> !List.of("SKIP", "TWICE", "BACKWARD").contains(option))
                    .findFirst()
                    .orElse("UTC"));
        }

        String instant(String time) {
            TemporalAccessor read = TIME.parseBest(time, OffsetDateTime::from, LocalDateTime::from);
            OffsetDateTime exact = read instanceof OffsetDateTime offset
                    ? offset
                    : ((LocalDateTime) read).atZone(zone()).toOffsetDateTime();
            return Instants.text(exact.toInstant().toEpochMilli());
        }

        /** Null if the answer is the expected one. */
        String objection(Reply reply) {
            if (expected.equals("refused")) {
                return reply.status() == 400 ? null : this + " was not refused: " + reply.body();
            }
            if (expected.startsWith("not ")) {
                String not = instant(expected.substring(4));
                return reply.status() == 200 && !fireTimes(reply).get(0).equals(not)
                        ? null
                        : this + ": " + reply.body();
            }
            List<String> wanted =
                    Stream.of(expected.split(", *")).map(this::instant).toList();
            boolean same = reply.status() == 200 && fireTimes(reply).equals(wanted);
            return same ? null : this + " wanted " + wanted + ": " + reply.body();
        }

        private static List<String> fireTimes(Reply reply) {
            List<String> found = new ArrayList<>();
            for (JsonNode fire : reply.body().get("fireTimes")) {
                found.add(fire.textValue());
            }
            return found;
        }
    }

    @Test
    void claims_of_the_peers_hold_here_too() throws IOException {
        List<String> lines = lines();
        List<String> objections = new ArrayList<>();
        for (String text : lines) {
            SpecLine line = SpecLine.of(text);
            String objection = line.objection(
                    api.post("/api/v1/schedules/preview", line.question().toString()));
            if (objection != null) {
                objections.add(objection);
            }
        }
        assertEquals("", String.join("\n", objections));
        assertTrue(lines.size() > 250, lines.size() + " lines");
    }

    private static List<String> lines() throws IOException {
        try (InputStream specs = PeerSpecsTest.class.getResourceAsStream("peer-specs.txt")) {
            return new String(specs.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }
}
