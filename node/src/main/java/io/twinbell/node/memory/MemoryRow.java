package io.twinbell.node.memory;

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
public final class MemoryRow {
    public final Slot slot;
    public final String app;
    public final String name;
    public final List<PastAttempt> attempts = new ArrayList<>();
    public ExecutionState state;
    public int attempt = 1;
    public Long epoch;
    public String node;
    public Long batch;
    public Long claimedMillis;
    public Long startedMillis;
    public Long endedMillis;
    public Long dueMillis;
    /** When the latest attempt was due, if it is a retry. PostgreSQL does not keep it, but a simulation checks it. */
    public Long retryDueMillis;

    public long untilMillis;
    public long slots = 1;
    public boolean inTurn;
    public boolean queued;
    public String heldBy;
    public String origin;
    public String output;
    public String error;
    public String errorCode;
    public String reason;
    public String note;
    public String checkpoint;
    /** JSON that a run by hand uses instead of the task's data. */
    public String data;
    /** JSON that describes the execution which this one follows. */
    public String parent;

    public int snoozes;
    public int reruns;
    public Long snoozedSinceMillis;

    /** An attempt that another one has followed. */
    public record PastAttempt(
            int attempt, String state, Long endedMillis, String error, String errorCode, String reason) {}

    public MemoryRow(Slot slot, String app, String name, ExecutionState state) {
        this.slot = slot;
        this.app = app;
        this.name = name;
        this.state = state;
        untilMillis = slot.fireTimeMillis();
    }

    public MemoryRow copy() {
        MemoryRow copy = new MemoryRow(slot, app, name, state);
        copy.attempts.addAll(attempts);
        copy.attempt = attempt;
        copy.epoch = epoch;
        copy.node = node;
        copy.batch = batch;
        copy.claimedMillis = claimedMillis;
        copy.startedMillis = startedMillis;
        copy.endedMillis = endedMillis;
        copy.dueMillis = dueMillis;
        copy.retryDueMillis = retryDueMillis;
        copy.untilMillis = untilMillis;
        copy.slots = slots;
        copy.inTurn = inTurn;
        copy.queued = queued;
        copy.heldBy = heldBy;
        copy.origin = origin;
        copy.output = output;
        copy.error = error;
        copy.errorCode = errorCode;
        copy.reason = reason;
        copy.note = note;
        copy.checkpoint = checkpoint;
        copy.data = data;
        copy.parent = parent;
        copy.snoozes = snoozes;
        copy.reruns = reruns;
        copy.snoozedSinceMillis = snoozedSinceMillis;
        return copy;
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

    public boolean isClaimed() {
        return state == ExecutionState.CLAIMED || state == ExecutionState.RUNNING;
    }

    public boolean waits() {
        return state == ExecutionState.PENDING || state == ExecutionState.RETRYING;
    }

    /** Whether the task's next run, which follows the end of this one, must still wait. */
    boolean isUnfinished() {
        return isClaimed() || state == ExecutionState.RETRYING;
    }

    public boolean isOf(Epoch of) {
        return epoch != null && epoch == of.number();
    }

    long dueOrFireMillis() {
        return dueMillis == null ? slot.fireTimeMillis() : dueMillis;
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
}
