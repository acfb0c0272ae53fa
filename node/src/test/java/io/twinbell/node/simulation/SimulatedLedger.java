package io.twinbell.node.simulation;

import io.twinbell.node.memory.MemoryLedger;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.Ledger;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The ledger in memory behind a link, with the protocol by which {@code JdbcLedger} learns what became of a claim. */
final class SimulatedLedger implements Ledger {
    private final Link link;
    private final SimulatedDatabase database;
    private final MemoryLedger ledger;
    private int claimedBy;

    SimulatedLedger(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        ledger = new MemoryLedger(database.tables);
    }

    @Override
    public ClaimOutcome claim(Epoch epoch, long batch, List<DecidedSlot> claims) {
        Set<Long> ids = claims.stream().map(DecidedSlot::taskId).collect(Collectors.toSet());
        return claimed(() -> link.guarded("claim " + slots(claims), ids, () -> ledger.claim(epoch, batch, claims)));
    }

    private <T> T claimed(Supplier<T> claim) {
        try {
            return claim.get();
        } finally {
            claimedBy = link.sentTo();
        }
    }

    private static String slots(List<DecidedSlot> claims) {
        return claims.stream()
                .map(claim -> claim.taskId() + "@" + time(claim.expectedMillis())
                        + (claim.entry().state() == ExecutionState.CLAIMED
                                ? ""
                                : ":" + claim.entry().state()))
                .sorted()
                .toList()
                .toString();
    }

    static String time(long millis) {
        long since = millis - SimulatedDatabase.EPOCH_MILLIS;
        return since / 1000 + "." + String.format(Locale.ROOT, "%03d", Math.floorMod(since, 1000));
    }

    @Override
    public Set<Long> enteredInBatch(Epoch epoch, long batch, List<DecidedSlot> claims) {
        endOldBackend("entered");
        link.passBarrier();
        return link.ask("entered in batch?", () -> ledger.enteredInBatch(epoch, batch, claims));
    }

    private void endOldBackend(String what) {
        link.ask("end the session of what was " + what, () -> {
            if (link.serving().pid != claimedBy) {
                database.terminate(claimedBy);
            }
            return null;
        });
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, int limit) {
        return claimed(() -> link.guarded("claim waiting", () -> ledger.claimWaiting(epoch, batch, due, limit)));
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, Map<String, Integer> mostByApp) {
        return claimed(() -> link.guarded("claim waiting", () -> ledger.claimWaiting(epoch, batch, due, mostByApp)));
    }

    @Override
    public List<String> appsWaiting(DueBounds due, String after, int limit) {
        return link.ask("apps waiting", () -> ledger.appsWaiting(due, after, limit));
    }

    /** Nothing is ever in doubt here. */
    @Override
    public SettledDoubts settleDoubts(Epoch epoch, int most) {
        return ledger.settleDoubts(epoch, most);
    }

    @Override
    public Set<Long> tasksInTurn(long nowMillis) {
        return link.ask("tasks in turn", () -> ledger.tasksInTurn(nowMillis));
    }

    @Override
    public long nextWaitingMillis(long afterMillis) {
        return link.ask("next waiting", () -> ledger.nextWaitingMillis(afterMillis));
    }

    @Override
    public List<Attempt> claimedInBatch(Epoch epoch, long batch) {
        endOldBackend("claimed");
        link.passBarrier();
        return link.ask("claimed in batch?", () -> ledger.claimedInBatch(epoch, batch));
    }

    @Override
    public int releaseWaiting(Epoch epoch, String limitKey, int most) {
        return link.guarded("release rows of " + limitKey, () -> ledger.releaseWaiting(epoch, limitKey, most));
    }

    @Override
    public Set<String> waitedLimits() {
        return link.ask("held by?", ledger::waitedLimits);
    }

    @Override
    public boolean markUnreadable(Epoch epoch, long taskId, long version, String reason) {
        return link.guarded("set aside " + taskId, () -> ledger.markUnreadable(epoch, taskId, version, reason));
    }

    @Override
    public boolean handBack(Epoch epoch, List<Attempt> unstarted) {
        return link.guarded("hand back " + unstarted.size(), () -> ledger.handBack(epoch, unstarted));
    }
}
