package io.twinbell.tools.cli.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Renders a preview of fire times for people: local time, UTC, the gaps, and the effect of clock changes. */
final class FireTable {
    private static final String[] UNITS = {"d", "h", "m", "s", "ms"};

    private final JsonNode answer;
    private final ZoneId zone;
    private final List<Instant> fires = new ArrayList<>();

    FireTable(JsonNode answer, ZoneId zone) {
        this.answer = answer;
        this.zone = zone;
        answer.path("fireTimes").forEach(fire -> fires.add(Instant.parse(fire.asText())));
    }

    String text() {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {
            "#",
            zone.equals(ZoneOffset.UTC) ? "" : zone.getId(),
            "UTC",
            "APART",
            answer.path("marks").isEmpty() ? "" : "MARK"
        });
        for (int i = 0; i < fires.size(); i++) {
            rows.add(row(i));
        }
        StringBuilder text = new StringBuilder(answer.path("description").asText()).append("\n\n");
        int[] widths = widths(rows);
        rows.forEach(row -> text.append(line(row, widths)).append('\n'));
        return text.toString();
    }

    private String[] row(int i) {
        Instant fire = fires.get(i);
        return new String[] {
            String.valueOf(i + 1),
            zone.equals(ZoneOffset.UTC) ? "" : format(" xxx").format(fire.atZone(zone)),
            format("'Z'").format(fire.atZone(ZoneOffset.UTC)),
            i == 0 ? "" : apart(Duration.between(fires.get(i - 1), fire).abs()),
            answer.path("marks").path(answer.path("fireTimes").get(i).asText()).asText("")
        };
    }

    /** Shows milliseconds only if some fire time has them. */
    private DateTimeFormatter format(String offset) {
        boolean hasMillis = fires.stream().anyMatch(fire -> fire.getNano() != 0);
        return DateTimeFormatter.ofPattern(
                "EEE uuuu-MM-dd HH:mm:ss" + (hasMillis ? ".SSS" : "") + offset, Locale.ENGLISH);
    }

    private static String apart(Duration distance) {
        long[] parts = {
            distance.toDays(),
            distance.toHoursPart(),
            distance.toMinutesPart(),
            distance.toSecondsPart(),
            distance.toMillisPart()
        };
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < parts.length; i++) {
            if (parts[i] != 0) {
                text.append(text.isEmpty() ? "" : " ").append(parts[i]).append(UNITS[i]);
            }
        }
        return text.toString();
    }

    private static int[] widths(List<String[]> rows) {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int column = 0; column < row.length; column++) {
                widths[column] = Math.max(widths[column], row[column].length());
            }
        }
        return widths;
    }

    /** Omits columns that are empty in all rows. */
    private static String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder(" ".repeat(widths[0] - row[0].length())).append(row[0]);
        for (int column = 1; column < row.length; column++) {
            if (widths[column] > 0) {
                line.append("  ").append(row[column]).append(" ".repeat(widths[column] - row[column].length()));
            }
        }
        return line.toString().stripTrailing();
    }
}
