package io.twinbell.lab.stage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The offset of the database's clock from the machine's during a drill that sets it. */
public final class DatabaseTime {
    /**
     * How long after a change calls may still be started by the old time: until then a node may not know the new time.
     */
    private static final long KNOWN_WITHIN_MICROS = 1_000_000;

    private final List<ClockStep> settings = new ArrayList<>(List.of(new ClockStep(Long.MIN_VALUE, 0)));

    private record ClockStep(long fromMicros, long aheadMicros) {}

    void isAhead(long fromMicros, Duration ahead) {
        settings.add(new ClockStep(fromMicros, ahead.toNanos() / 1000));
    }

    /**
     * Whether the clock was set back over an instant and showed it twice. A time that counts from the end of a run may
     * then be before the run's start.
     *
     * @param millis since 1970, by the database's clock
     */
    public boolean occurredTwice(long millis) {
        for (int i = 1; i < settings.size(); i++) {
            long again = settings.get(i).fromMicros() + settings.get(i).aheadMicros();
            long first = settings.get(i).fromMicros() + settings.get(i - 1).aheadMicros();
            if (again - KNOWN_WITHIN_MICROS <= millis * 1000 && millis * 1000 <= first + KNOWN_WITHIN_MICROS) {
                return again < first;
            }
        }
        return false;
    }

    /**
     * Converts an instant of the machine's clock to the latest that the database's clock may have shown; microseconds
     * since 1970.
     */
    public long latest(long wallMicros) {
        long ahead = Long.MIN_VALUE;
        for (int i = 0; i < settings.size(); i++) {
            long until =
                    i + 1 < settings.size() ? settings.get(i + 1).fromMicros() + KNOWN_WITHIN_MICROS : Long.MAX_VALUE;
            if (settings.get(i).fromMicros() <= wallMicros && wallMicros < until) {
                ahead = Math.max(ahead, settings.get(i).aheadMicros());
            }
        }
        return wallMicros + ahead;
    }
}
