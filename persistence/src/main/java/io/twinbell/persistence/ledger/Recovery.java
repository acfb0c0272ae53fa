package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a master reads and writes to make the past whole. */
public interface Recovery {
    /** Unfinished attempts of older epochs, oldest first, without those of an epoch that is still draining. */
    List<Attempt> orphans(Epoch epoch, int limit);

    /** Unfinished attempts of this epoch that were claimed at least {@code olderThanMillis} ago. */
    List<Attempt> own(Epoch epoch, long olderThanMillis, int limit);

    /**
     * Settles orphans; returns those that it changed.
     *
     * @param atMillis the instant that was decided by: it is the end of what is dropped
     * @param claimedForMillis what has been claimed more lately is left: it has been laid down and claimed again, as the
     *     same attempt, since the orphans were read. 0 for whatever there is
     */
    List<Settlement> settle(Epoch epoch, List<Settlement> settlements, long atMillis, long claimedForMillis);

    /** Executions that wait for their next attempt. */
    Set<Slot> retrying(int limit);

    /** Wishes to cancel that are not carried out yet, oldest first. */
    List<CancelRequest> cancelRequests(int limit);

    /**
     * Cancels those of them that wait to be claimed, and forgets those whose execution has ended.
     *
     * @return the slots that this cancelled
     */
    Set<Slot> cancelWaiting(Epoch epoch, List<CancelRequest> requests);

    /** Pauses tasks that have failed often enough, and whose rows somebody held when that was recorded. */
    void pauseFailing(Epoch epoch);

    /**
     * ACTIVE tasks that wait for a run which is not there: nothing would ever wake them.
     *
     * @param afterTaskId goes on behind this task
     * @param most so many tasks that wait are looked at, however few of them stand still: there may be a million
     */
    StalledTask.Look stalled(long afterTaskId, int most);

    /** Sets the next fire times of such tasks, as in {@link Completion}. */
    void setGoing(Epoch epoch, Map<Long, Long> nextMillis);

    /** The tasks that a master which handed over is still finishing; empty when its drain is over. */
    Set<Long> tasksThatDrain();

    /** Enters the slots that edits, pauses and removals passed over; returns how many rows. */
    int enterPassedSlots(Epoch epoch);

    /** Wishes to let go of an execution that is claimed; those whose execution is not are forgotten. */
    List<ReleaseRequest> takeReleaseRequests(Epoch epoch, int limit);
}
