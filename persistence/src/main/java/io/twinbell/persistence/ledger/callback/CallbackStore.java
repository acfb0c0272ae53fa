package io.twinbell.persistence.ledger.callback;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a master does with parked attempts. */
public interface CallbackStore {
    /**
     * The answer to a parked attempt.
     *
     * @param answeredMicros when it was given, by the database's clock
     */
    record CallbackAnswer(Slot slot, int attempt, long answeredMicros, Outcome outcome) {
        /** The outcome; all texts may be null. */
        public record Outcome(ExecutionState state, String output, String error, String errorCode) {}
    }

    /**
     * An attempt to park.
     *
     * @param startedMicros when the attempt started, by the database's clock
     * @param tokenHash SHA-256 of the token, 64 hexadecimal digits
     * @param timeoutMillis how long after its start, or after its latest heartbeat, the attempt times out
     */
    record CallbackRequest(Slot slot, int attempt, long startedMicros, String tokenHash, long timeoutMillis) {}

    /**
     * A parked attempt of an earlier master, which now belongs to this epoch.
     *
     * @param startedMicros when the attempt started
     */
    record AdoptedAttempt(Attempt attempt, long startedMicros) {}

    /** An outcome that the master itself determines: of its call, or by a cancellation. */
    record OwnAnswer(Slot slot, int attempt, CallbackAnswer.Outcome outcome) {}

    /**
     * Parks attempts, before their receivers are called. Parking an attempt again with the same token changes nothing.
     *
     * @return the slots that are parked, each with its latest checkpoint if it has one; empty if the epoch may no
     *     longer write
     */
    Optional<Map<Slot, Optional<String>>> park(Epoch epoch, List<CallbackRequest> requests);

    /**
     * Notes that the receivers have accepted these attempts, by slot.
     *
     * @return false if the epoch may no longer write
     */
    boolean recordAccepted(Epoch epoch, Map<Slot, Integer> attempts);

    /**
     * Sets the master's own answers, unless an answer was given before.
     *
     * @return the slots that had been answered before
     */
    Set<Slot> answer(Epoch epoch, List<OwnAnswer> answers);

    /** Answers attempts whose time is over with TIMED_OUT; returns how many. */
    int expire(Epoch epoch, int limit);

    /** The answers that are not applied yet, earliest first. */
    List<CallbackAnswer> answers(int limit);

    /** The tasks that have attempts to adopt. */
    Set<Long> tasksToAdopt(Epoch epoch);

    /**
     * Makes accepted or answered attempts of earlier epochs attempts of this one. An answered attempt of this epoch
     * that was not recorded within some seconds is returned again.
     */
    List<AdoptedAttempt> adopt(Epoch epoch, int limit);

    /** Those of the slots that have an open parked attempt. */
    Set<Slot> open(Collection<Slot> slots);

    /**
     * Closes parked attempts that are over, and deletes those that ended long ago.
     *
     * @param alsoUnanswered whether to look also for attempts that ended without an answer; this takes longer
     */
    void close(boolean alsoUnanswered, Duration keep);
}
