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
    void is_what_the_jdk_writes() {
        SplittableRandom random = new SplittableRandom(20260329);
        for (int i = 0; i < 100_000; i++) {
            long millis = random.nextLong(YEAR_2200);
            String text = JDK.format(Instant.ofEpochMilli(millis));

            assertEquals(text, InstantFormat.text(millis));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE / 1_000_000, 253_402_300_800_000L})
    void writes_years_that_no_schedule_has(long millis) {
        assertEquals(JDK.format(Instant.ofEpochMilli(millis)), InstantFormat.text(millis));
    }
}
