package io.twinbell.tools.drill;

import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Prints the drill's actions as they happen, with the wall-clock time. */
public final class DrillTimeline {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final PrintWriter out;
    private final PrintWriter complaints;
    private final LongSupplier wallMicros;

    public DrillTimeline(PrintWriter out, PrintWriter complaints, LongSupplier wallMicros) {
        this.out = out;
        this.complaints = complaints;
        this.wallMicros = wallMicros;
    }

    /** Prints a problem of the drill itself. */
    public void printProblem(String what) {
        complaints.println(what);
        complaints.flush();
    }

    /** @return the printed instant, microseconds since 1970 */
    public long print(String what) {
        long now = wallMicros.getAsLong();
        print(now, what);
        return now;
    }

    public void print(long micros, String what) {
        out.println("  " + TIME.format(Instant.ofEpochMilli(Math.floorDiv(micros, 1000L))) + "  " + what);
        out.flush();
    }
}
