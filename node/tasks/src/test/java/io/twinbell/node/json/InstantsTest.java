package io.twinbell.node.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstantsTest {
    @Test
    void reads_what_it_writes_as_the_jdk_does() {
        SplittableRandom random = new SplittableRandom(20260329);
        for (int i = 0; i < 100_000; i++) {
            long millis = random.nextLong(Instants.LATEST + 1);
            String text = Instants.text(millis);
            assertEquals(millis, Instants.millis(text));
            assertEquals(Instant.parse(text).toEpochMilli(), Instants.millis(text));
        }
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
        assertEquals(Instant.parse(text).toEpochMilli(), Instants.millis(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-03-29T01:00:00",
                "2026-02-29T01:00:00Z",
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
                "2200-01-01T00:00:00.000Z",
                "٢٠٢٦-03-29T01:00:00.000Z",
                "+026-03-29T01:00:00.000Z",
                ""
            })
    void refuses_what_is_no_instant_or_out_of_bounds(String text) {
        assertThrows(IllegalArgumentException.class, () -> Instants.millis(text));
    }
}
