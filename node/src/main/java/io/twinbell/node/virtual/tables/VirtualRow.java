package io.twinbell.node.virtual.tables;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.ArrayList;
import java.util.List;

/** A row of the ledger. Times are milliseconds since 1970 UTC, null for none. */
public final class VirtualRow {
    final Slot slot;
    final String app;
    final String name;
    final List<PastAttempt> attempts = new ArrayList<>();
    ExecutionState state;
    int attempt = 1;
    Long epoch;
    String node;
    Long batch;
    Long claimedMillis;
    Long startedMillis;
    Long endedMillis;
    Long dueMillis;
    long untilMillis;
    long slots = 1;
    boolean inTurn;
    boolean queued;
    String heldBy;
    String origin;
    String output;
    String error;
    String errorCode;
    String reason;
    String note;
    String checkpoint;
    /** JSON that a run by hand uses instead of the task's data. */
    String data;
    /** JSON that describes the execution which this one follows. */
    String parent;

    int snoozes;
    Long snoozedSinceMillis;

    /** An attempt that another one has followed. */
    public record PastAttempt(
            int attempt, String state, Long endedMillis, String error, String errorCode, String reason) {}

    VirtualRow(Slot slot, String app, String name, ExecutionState state) {
        this.slot = slot;
        this.app = app;
        this.name = name;
        this.state = state;
        untilMillis = slot.fireTimeMillis();
    }

    /** It no longer belongs to a claim. */
    void handBack() {
        state = ExecutionState.PENDING;
        inTurn |= attempt > 1;
        epoch = null;
        node = null;
        batch = null;
        claimedMillis = null;
    }

    void keepAttempt(String as, String why) {
        attempts.add(new PastAttempt(attempt, as, endedMillis, error, errorCode, why));
    }

    boolean isClaimed() {
        return state == ExecutionState.CLAIMED || state == ExecutionState.RUNNING;
    }

    boolean waits() {
        return state == ExecutionState.PENDING || state == ExecutionState.RETRYING;
    }

    /** Whether the task's next run, which follows the end of this one, must still wait. */
    boolean isUnfinished() {
        return isClaimed() || state == ExecutionState.RETRYING;
    }

    boolean isOf(Epoch of) {
        return epoch != null && epoch == of.number();
    }

    long dueOrFireMillis() {
        return dueMillis == null ? slot.fireTimeMillis() : dueMillis;
    }

    public Slot slot() {
        return slot;
    }

    public String state() {
        return state.name();
    }

    public int attempt() {
        return attempt;
    }

    /** The earlier attempts, oldest first. */
    public List<PastAttempt> earlierAttempts() {
        return List.copyOf(attempts);
    }

    /** The node of the latest claim; null for none. */
    public String node() {
        return node;
    }

    public Long startedMillis() {
        return startedMillis;
    }

    public Long endedMillis() {
        return endedMillis;
    }

    /** The last of the slots that the row stands for. */
    public long untilMillis() {
        return untilMillis;
    }

    /** How many slots the row stands for. */
    public long slots() {
        return slots;
    }

    /** TRIGGERED, CHAINED or BACKFILLED; null for a slot of the schedule. */
    public String origin() {
        return origin;
    }

    public String output() {
        return output;
    }

    public String error() {
        return error;
    }

    public String errorCode() {
        return errorCode;
    }

    public String reason() {
        return reason;
    }
}
