package io.twinbell.tools.drill.stage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How far the database's clock was before the machine's, when a drill has set it. */
public final class DatabaseTime {
    /** What was started by the clock as it was may arrive this much later, before everybody knows the new one. */
    private static final long KNOWN_WITHIN_MICROS = 1_000_000;

    private final List<Setting> settings = new ArrayList<>(List.of(new Setting(Long.MIN_VALUE, 0)));

    private record Setting(long fromMicros, long aheadMicros) {}

    void isAhead(long fromMicros, Duration ahead) {
        settings.add(new Setting(fromMicros, ahead.toNanos() / 1000));
    }

    /**
     * Whether the clock was put back over an instant, so that it showed it twice: what counts from the end of a run may
     * then fall before its beginning.
     *
     * @param millis since 1970, by the database's clock
     */
    public boolean wasShownTwice(long millis) {
        for (int i = 1; i < settings.size(); i++) {
            long again = settings.get(i).fromMicros() + settings.get(i).aheadMicros();
            long first = settings.get(i).fromMicros() + settings.get(i - 1).aheadMicros();
            if (again - KNOWN_WITHIN_MICROS <= millis * 1000 && millis * 1000 <= first + KNOWN_WITHIN_MICROS) {
                return again < first;
            }
        }
        return false;
    }

    /** The latest instant that the database's clock may have shown, from one by the machine's; microseconds since 1970. */
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
