package io.twinbell.node.simulation;

import io.twinbell.node.memory.MemoryRecovery;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.CancelRequest;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.ReleaseRequest;
import io.twinbell.persistence.ledger.recovery.Settlement;
import io.twinbell.persistence.ledger.recovery.StalledTask;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The recovery in memory behind a link. */
final class SimulatedRecovery implements RecoveryStore {
    private final Link link;
    private final MemoryRecovery recovery;

    SimulatedRecovery(Link link, SimulatedDatabase database) {
        this.link = link;
        recovery = new MemoryRecovery(database.tables);
    }

    @Override
    public List<Attempt> orphans(Epoch epoch, int limit) {
        return link.ask("orphans?", () -> recovery.orphans(epoch, limit));
    }

    @Override
    public List<Attempt> own(Epoch epoch, long olderThanMillis, int limit) {
        List<Attempt> own = link.ask("own rows?", () -> recovery.own(epoch, olderThanMillis, limit));
        if (!own.isEmpty()) {
            link.passBarrier();
        }
        return own;
    }

    @Override
    public List<Settlement> settle(Epoch epoch, List<Settlement> settlements, long atMillis, long claimedForMillis) {
        return link.guarded(
                "settle " + texts(settlements), () -> recovery.settle(epoch, settlements, atMillis, claimedForMillis));
    }

    private static String texts(List<Settlement> settlements) {
        return settlements.stream()
                .map(one -> one.orphan().slot().taskId() + "@"
                        + SimulatedLedger.time(one.orphan().slot().fireTimeMillis()) + "/"
                        + one.orphan().attempt() + ":" + one.end())
                .toList()
                .toString();
    }

    @Override
    public Set<Slot> retrying(int limit) {
        return link.ask("retrying?", () -> recovery.retrying(limit));
    }

    @Override
    public List<CancelRequest> cancelRequests(int limit) {
        return link.ask("cancel requests?", () -> recovery.cancelRequests(limit));
    }

    @Override
    public Set<Slot> cancelWaiting(Epoch epoch, List<CancelRequest> requests) {
        return link.guarded("cancel waiting", () -> recovery.cancelWaiting(epoch, requests));
    }

    @Override
    public void pauseFailing(Epoch epoch) {
        link.guarded("pause failing", () -> {
            recovery.pauseFailing(epoch);
            return null;
        });
    }

    @Override
    public StalledTask.StalledTaskPage stalled(long afterTaskId, int most) {
        return link.ask("stalled?", () -> recovery.stalled(afterTaskId, most));
    }

    @Override
    public void restart(Epoch epoch, Map<Long, Long> nextMillis) {
        link.guarded("set going " + new TreeMap<>(nextMillis).keySet(), () -> {
            recovery.restart(epoch, nextMillis);
            return null;
        });
    }

    @Override
    public Set<Long> tasksThatDrain() {
        return link.ask("tasks that drain?", recovery::tasksThatDrain);
    }

    @Override
    public int enterPassedSlots(Epoch epoch) {
        return link.guarded("enter passed slots", () -> recovery.enterPassedSlots(epoch));
    }

    @Override
    public List<ReleaseRequest> takeReleaseRequests(Epoch epoch, int limit) {
        return link.guarded("release requests?", () -> recovery.takeReleaseRequests(epoch, limit));
    }
}
