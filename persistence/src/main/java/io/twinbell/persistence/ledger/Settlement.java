package io.twinbell.persistence.ledger;

/**
 * What a successor decided about an attempt that an older epoch left behind.
 *
 * @param newAttempt the attempt to run under the settling epoch; 0 to record its end
 * @param end CLAIMED if it runs again; else DROPPED, or FAILED if its attempts are used up
 * @param nextMillis for a dropped run of a task that follows the end of its run: its next fire time, as in
 *     {@link Completion}
 */
public record Settlement(Attempt orphan, int newAttempt, ExecutionState end, String reason, long nextMillis) {
    public boolean isRerun() {
        return newAttempt > 0;
    }
}
