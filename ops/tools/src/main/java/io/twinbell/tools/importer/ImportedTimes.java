package io.twinbell.tools.importer;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Instants of other schedulers, as a task may have them: from 1970 to 2199, in whole milliseconds. */
public final class ImportedTimes {
    private static final Instant END = Instant.parse("2200-01-01T00:00:00Z");

    private ImportedTimes() {}

    /**
     * The instant in the form of the API. A fraction of a millisecond is rounded up, so that nothing fires early.
     *
     * @param what the field, for the message and the note
     * @param notes receives a note if the instant is rounded
     * @throws IllegalArgumentException if no task may have this instant
     */
    public static String text(String what, Instant instant, List<String> notes) {
        if (instant.isBefore(Instant.EPOCH) || !instant.isBefore(END)) {
            throw new IllegalArgumentException(what + " " + instant + " is not between 1970 and 2199");
        }
        Instant whole = instant.truncatedTo(ChronoUnit.MILLIS);
        if (!whole.equals(instant)) {
            whole = whole.plusMillis(1);
            notes.add(what + " " + instant + " is rounded up to the millisecond");
        }
        return whole.toString();
    }

    /** @param millis since 1970 UTC */
    public static String text(String what, long millis) {
        return text(what, Instant.ofEpochMilli(millis), List.of());
    }
}
