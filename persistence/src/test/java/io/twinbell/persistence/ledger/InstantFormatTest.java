package io.twinbell.persistence.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstantFormatTest {
    private static final DateTimeFormatter JDK =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private static final long YEAR_2200 = Instant.parse("2200-01-01T00:00:00Z").toEpochMilli();

    @Test
    void is_what_the_jdk_writes_and_reads() {
        SplittableRandom random = new SplittableRandom(20260329);
        for (int i = 0; i < 100_000; i++) {
            long millis = random.nextLong(YEAR_2200);
            String text = JDK.format(Instant.ofEpochMilli(millis));

            assertEquals(text, InstantFormat.text(millis));
            assertEquals(millis, InstantFormat.read(text));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE / 1_000_000, 253_402_300_800_000L})
    void writes_years_that_no_schedule_has(long millis) {
        assertEquals(JDK.format(Instant.ofEpochMilli(millis)), InstantFormat.text(millis));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-03-29T01:00:00",
                "2026-03-29T01:00Z",
                "2026-02-29T01:00:00Z",
                "2026-03-29T01:00:00.0000Z",
                "2026-03-29T01:00:00.000z",
                "2026-03-29t01:00:00.000Z",
                "2026-03-29T01:00:00,000Z",
                "2026-3-029T01:00:00.000Z",
                "2026-02-29T01:00:00.000Z",
                "2026-04-31T01:00:00.000Z",
                "2026-13-01T01:00:00.000Z",
                "2026-00-01T01:00:00.000Z",
                "2026-01-00T01:00:00.000Z",
                "2026-03-29T24:00:00.000Z",
                "2026-03-29T01:60:00.000Z",
                "2026-03-29T01:00:60.000Z",
                "1969-12-31T23:59:59.999Z",
                "٢٠٢٦-03-29T01:00:00.000Z",
                "+026-03-29T01:00:00.000Z",
                ""
            })
    void leaves_every_other_spelling_to_the_jdk(String text) {
        assertEquals(-1, InstantFormat.read(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2024-02-29T00:00:00.000Z",
                "2000-02-29T23:59:59.999Z",
                "2100-02-28T12:00:00.001Z",
                "2024-02-29T23:59:59Z"
            })
    void knows_the_ends_of_months(String text) {
        assertEquals(Instant.parse(text).toEpochMilli(), InstantFormat.read(text));
    }
}
