package io.twinbell.persistence.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstantFormatTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-03-29T01:00:00.000Z",
                "2026-03-29T01:00:00.007Z",
                "1970-01-01T00:00:00.000Z",
                "1969-12-31T23:59:59.999Z",
                "0001-02-03T04:05:06.780Z",
                "2199-12-31T23:59:59.999Z",
                "+12345-01-01T00:00:00.000Z"
            })
    void milliseconds_are_always_written(String text) {
        long millis = Instant.parse(text).toEpochMilli();
        assertEquals(text, InstantFormat.text(millis));
        assertEquals(text, InstantFormat.text(millis), "the cached text");
    }
}
