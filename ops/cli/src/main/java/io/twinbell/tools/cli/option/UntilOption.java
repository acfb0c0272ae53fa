package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.CommandClock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Option for the end of a pause or hold. */
public final class UntilOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "How long, such as 90m, 2h, 7d or PT2H. Default: no limit.")
    private Duration duration;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            description = "The end: a date, a date and time (UTC), or an instant such as 2026-12-24T18:00:00Z.")
    private String time;

    /** Adds the member {@code until} to a request. */
    public void into(ObjectNode body) {
        if (duration != null && time != null) {
            throw new ParameterException(spec.commandLine(), "Give either --for or --until, not both");
        }
        if (duration != null) {
            put(body, new CommandClock().now().plus(duration));
        } else if (time != null) {
            put(body, InstantConverter.read(spec, "--until", time, ZoneOffset.UTC));
        }
    }

    private static void put(ObjectNode body, Instant instant) {
        body.put("until", instant.truncatedTo(ChronoUnit.MILLIS).toString());
    }
}
