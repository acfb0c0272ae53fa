package io.twinbell.ops.drill;

import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.function.LongSupplier;

/** Tells what the drill does as it does it, by the wall clock. */
final class Timeline {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

    private final PrintWriter out;
    private final LongSupplier wallMicros;

    Timeline(PrintWriter out, LongSupplier wallMicros) {
        this.out = out;
        this.wallMicros = wallMicros;
    }

    /** @return the instant that it was told with, microseconds since 1970 */
    long tell(String what) {
        long now = wallMicros.getAsLong();
        tell(now, what);
        return now;
    }

    void tell(long micros, String what) {
        out.println("  " + TIME.format(Instant.ofEpochMilli(Math.floorDiv(micros, 1000L))) + "  " + what);
        out.flush();
    }
}
