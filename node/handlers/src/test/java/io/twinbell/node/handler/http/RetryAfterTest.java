package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the header Retry-After is read. */
class RetryAfterTest {
    @ParameterizedTest(name = "[{0}] at [{1}] → {2}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            120                             | -                             | PT2M
            0                               | -                             | PT0S
            '  7 '                          | -                             | PT7S
            99999999999999999999            | -                             | PT277777H46M40S
            -5                              | -                             | PT0S
            1.5                             | -                             | PT0S
            soon                            | -                             | PT0S
            -                               | -                             | PT0S
            Sun, 06 Nov 1994 08:49:37 GMT   | Sun, 06 Nov 1994 08:49:07 GMT | PT30S
            Thursday, 05-Nov-26 08:49:37 GMT | Thu, 05 Nov 2026 08:49:07 GMT | PT30S
            Sun, 06 Nov 1994 08:49:07 GMT   | Sun, 06 Nov 1994 08:49:37 GMT | PT0S
            Sun, 06 Nov 1994 08:49:37 GMT   | -                             | PT0S
            Sun, 06 Nov 1994 08:49:37 GMT   | now                           | PT0S
            """)
    void seconds_count_from_the_answer_and_a_date_from_the_date_of_the_answer(
            String header, String now, Duration wait) {
        assertEquals(wait, RetryAfter.of(header, now));
    }
}
