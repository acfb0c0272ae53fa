package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads and writes the state that a master needs to settle orphans, requests and skipped slots. While a session keeps
 * vacuum from cleaning up, a search for orphans, own or stalled rows may look at some of them only; repeated calls find
 * the others.
 */
public interface RecoveryStore {
    /** A person's request to release a claimed execution, which is then settled like an orphan. */
    record ReleaseRequest(Attempt attempt, String reason) {}

    /** A person's request to cancel an unfinished execution. */
    record CancelRequest(Slot slot, String reason) {}

    /**
     * Unfinished attempts of older epochs, oldest first, without those of an epoch that is still draining. The first
     * call of an epoch looks at all.
     */
    List<Attempt> orphans(Epoch epoch, int limit);

    /** Unfinished attempts of this epoch that were claimed at least {@code olderThanMillis} ago. */
    List<Attempt> own(Epoch epoch, long olderThanMillis, int limit);

    /**
     * Settles orphans.
     *
     * @param atMillis the time of the decision, which becomes the end of dropped executions
     * @param claimedForMillis the least time since the claim, or 0 for no minimum: an execution that was handed
     *     back and claimed again as the same attempt, after the orphans were read, is left alone
     * @return the settlements that took effect
     */
    List<Settlement> settle(Epoch epoch, List<Settlement> settlements, long atMillis, long claimedForMillis);

    /** Executions that wait for their next attempt. */
    Set<Slot> retrying(int limit);

    /** Cancel requests that have not been carried out, oldest first. */
    List<CancelRequest> cancelRequests(int limit);

    /**
     * Cancels the requested executions that wait to be claimed, and deletes the requests of executions that have ended.
     *
     * @return the slots that this call cancelled
     */
    Set<Slot> cancelWaiting(Epoch epoch, List<CancelRequest> requests);

    /**
     * Pauses tasks that have reached their limit of consecutive failures, but whose rows were locked when that was
     * recorded.
     */
    void pauseFailing(Epoch epoch);

    /**
     * ACTIVE tasks that wait for a run that does not exist, so that nothing would ever wake them.
     *
     * @param afterTaskId continues after this task
     * @param most how many waiting tasks are examined, whether or not they are stalled: there may be a million
     */
    StalledTask.StalledTaskPage stalled(long afterTaskId, int most);

    /** Sets the next fire times of stalled tasks, with the values of {@link Completion}. */
    void restart(Epoch epoch, Map<Long, Long> nextMillis);

    /** The tasks that a draining master is still finishing after a handover; empty when its drain is over. */
    Set<Long> tasksThatDrain();

    /** Enters the slots that edits, pauses and removals skipped; returns the number of rows. */
    int enterPassedSlots(Epoch epoch);

    /** Takes the release requests of claimed executions, and deletes those of executions that are not claimed. */
    List<ReleaseRequest> takeReleaseRequests(Epoch epoch, int limit);
}
