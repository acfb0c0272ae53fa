package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;

/**
 * A successor's decision about an attempt that an older epoch left unfinished.
 *
 * @param newAttempt the attempt to run under the current epoch; 0 to record the end of the execution
 * @param end CLAIMED if the execution runs again; otherwise DROPPED, or FAILED if its attempts are used up
 * @param nextMillis the next fire time, for a dropped run of a task whose schedule counts from the end of its run;
 *     as in {@link Completion}
 */
public record Settlement(Attempt orphan, int newAttempt, ExecutionState end, String reason, long nextMillis) {
    public boolean isRerun() {
        return newAttempt > 0;
    }
}
