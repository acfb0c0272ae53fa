package io.twinbell.tools.cli.option;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Parses an instant as people write it: a date, a date and time in a zone, or an instant. */
public final class InstantConverter {
    public static final String EXPECTATION =
            "takes a date (2026-03-28), a date and time (2026-03-28T02:30) or an instant (2026-03-28T01:30:00Z)";

    /** As a node reads instants. */
    private static final DateTimeFormatter INSTANT = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
            .appendOffset("+HH:mm:ss", "Z")
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    private InstantConverter() {}

    /** Empty if the text is none of these. */
    public static Optional<Instant> read(String typed, ZoneId zone) {
        return Stream.<Function<String, Instant>>of(
                        text -> INSTANT.parse(text, Instant::from),
                        text -> LocalDateTime.parse(text.replace(' ', 'T'))
                                .atZone(zone)
                                .toInstant(),
                        text -> LocalDate.parse(text).atStartOfDay(zone).toInstant())
                .map(reading -> read(reading, typed))
                .filter(Objects::nonNull)
                .findFirst();
    }

    private static Instant read(Function<String, Instant> reading, String typed) {
        try {
            return reading.apply(typed);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
