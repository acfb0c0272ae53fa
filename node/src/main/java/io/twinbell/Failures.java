package io.twinbell;

import io.twinbell.node.api.port.PortTakenException;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.task.PayloadTooLargeException;
import io.twinbell.node.task.VersionConflictException;
import io.twinbell.persistence.calendar.UnknownCalendarException;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.QuotaExceededException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.function.Supplier;

/** Translates exceptions of the node's internal classes into the exceptions of the public API. */
final class Failures {
    private Failures() {}

    static <T> T translated(Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw translate(e);
        }
    }

    /** @throws IllegalArgumentException if the argument is missing */
    static <T> T required(T argument, String name) {
        if (argument == null) {
            throw new IllegalArgumentException(name + " is required, not null");
        }
        return argument;
    }

    /**
     * The milliseconds of an instant since 1970.
     *
     * @throws IllegalArgumentException if it is missing, or too far away for a number of milliseconds
     */
    static long millis(Instant instant, String name) {
        try {
            return required(instant, name).toEpochMilli();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(name + " is too far away: " + instant, e);
        }
    }

    static RuntimeException translate(RuntimeException thrown) {
        String message = thrown.getMessage();
        if (thrown instanceof InvalidJsonException
                || thrown instanceof PayloadTooLargeException
                || thrown instanceof UnknownCalendarException) {
            return new IllegalArgumentException(message, thrown);
        }
        if (thrown instanceof DatabaseUnavailableException) {
            return new DatabaseException(message, thrown);
        }
        if (thrown instanceof QuotaExceededException) {
            return new QuotaException(message, thrown);
        }
        if (thrown instanceof VersionConflictException) {
            return new ConflictException(message, thrown);
        }
        if (thrown instanceof ConfigException) {
            return new ConfigurationException(message, thrown);
        }
        if (thrown instanceof PortTakenException || thrown instanceof UncheckedIOException) {
            return new StartException(message, thrown);
        }
        return thrown;
    }
}
