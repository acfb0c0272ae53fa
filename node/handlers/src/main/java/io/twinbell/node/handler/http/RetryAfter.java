package io.twinbell.node.handler.http;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.apache.hc.client5.http.utils.DateUtils;

/** Reads how long a receiver asks to wait before the next call (RFC 9110, section 10.2.3). */
final class RetryAfter {
    private static final Pattern SECONDS = Pattern.compile("\\d+");
    private static final int MAX_DIGITS = 9;
    private static final Duration ENDLESS = Duration.ofSeconds(1_000_000_000);

    private RetryAfter() {}

    /**
     * Returns the wait; zero if the header asks for none or cannot be read.
     *
     * @param header seconds, or a date; may be null
     * @param now the header Date of the same answer, from which a date counts, so that no other clock matters; may be null
     */
    static Duration of(String header, String now) {
        if (header == null) {
            return Duration.ZERO;
        }
        String value = header.strip();
        if (SECONDS.matcher(value).matches()) {
            return value.length() > MAX_DIGITS ? ENDLESS : Duration.ofSeconds(Long.parseLong(value));
        }
        Instant until = DateUtils.parseStandardDate(value);
        Instant from = now == null ? null : DateUtils.parseStandardDate(now);
        return until == null || from == null || until.isBefore(from) ? Duration.ZERO : Duration.between(from, until);
    }
}
