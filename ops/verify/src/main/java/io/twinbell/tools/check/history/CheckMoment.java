package io.twinbell.tools.check.history;

/**
 * The moment at which the ledger of a running pair is checked.
 *
 * @param millis by the database's clock
 * @param graceMillis anything younger than this may not be recorded yet
 */
public record CheckMoment(long millis, long graceMillis) {
    public boolean isOld(long instant) {
        return instant < millis - graceMillis;
    }
}
