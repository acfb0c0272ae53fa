package io.twinbell.tools.check;

/**
 * The moment at which a living history is looked at.
 *
 * @param millis by the database's clock
 * @param graceMillis what is younger than this may be on its way
 */
public record CheckMoment(long millis, long graceMillis) {
    boolean isOld(long instant) {
        return instant < millis - graceMillis;
    }
}
