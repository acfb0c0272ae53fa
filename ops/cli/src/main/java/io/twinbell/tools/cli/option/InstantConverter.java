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
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Parses an instant as people write it: a date, a date and time in a zone, or an instant. */
public final class InstantConverter {
    private static final String EXPECTATION =
            "takes a date (2026-03-28), a date and time (2026-03-28T02:30) or an instant (2026-03-28T01:30:00Z)";

    /** As a node reads instants. */
    private static final DateTimeFormatter INSTANT = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
            .appendOffset("+HH:mm:ss", "Z")
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    private InstantConverter() {}

    /** @throws ParameterException naming the option if the text is none of these */
    public static Instant read(CommandSpec spec, String option, String typed, ZoneId zone) {
        return Stream.<Function<String, Instant>>of(
                        text -> INSTANT.parse(text, Instant::from),
                        text -> LocalDateTime.parse(text.replace(' ', 'T'))
                                .atZone(zone)
                                .toInstant(),
                        text -> LocalDate.parse(text).atStartOfDay(zone).toInstant())
                .map(reading -> read(reading, typed))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(), option + " " + EXPECTATION + ", not \"" + typed + "\""));
    }

    private static Instant read(Function<String, Instant> reading, String typed) {
        try {
            return reading.apply(typed);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
