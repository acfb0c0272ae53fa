package io.twinbell.node.virtual.tables;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.AttemptReport;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

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
    int reruns;
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

    /** The row as queries of the ledger return it. */
    public Execution execution() {
        return new Execution(
                new Execution.Slots(
                        slot.taskId(),
                        slot.fireTimeMillis(),
                        slots > 1 ? OptionalLong.of(untilMillis) : OptionalLong.empty(),
                        slots),
                app,
                name,
                state,
                origin,
                new Execution.LatestClaim(attempt, snoozes, reruns, node, optional(epoch), attemptsJson(), checkpoint),
                new Execution.Times(
                        optional(claimedMillis), optional(startedMillis), optional(endedMillis), optional(dueMillis)),
                new Execution.Outcome(output, error, errorCode, reason, note),
                AttemptReport.NONE);
    }

    private static OptionalLong optional(Long value) {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private String attemptsJson() {
        if (attempts.isEmpty()) {
            return null;
        }
        ArrayNode json = JsonNodeFactory.instance.arrayNode();
        for (PastAttempt past : attempts) {
            ObjectNode one = json.addObject().put("attempt", past.attempt()).put("state", past.state());
            if (past.endedMillis() != null) {
                one.put("endedAt", past.endedMillis());
            }
            put(one, "error", past.error());
            put(one, "errorCode", past.errorCode());
            put(one, "reason", past.reason());
        }
        return StrictJson.write(json);
    }

    private static void put(ObjectNode json, String member, String value) {
        if (value != null) {
            json.put(member, value);
        }
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
