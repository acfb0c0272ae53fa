package io.twinbell.node.warmup;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.CancelRequest;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.ReleaseRequest;
import io.twinbell.persistence.ledger.recovery.Settlement;
import io.twinbell.persistence.ledger.recovery.StalledTask;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A recovery for the warm-up run: there was no master before, so there is nothing to settle. */
record NoRecovery() implements RecoveryStore {
    @Override
    public List<Attempt> orphans(Epoch epoch, int limit) {
        return List.of();
    }

    @Override
    public List<Attempt> own(Epoch epoch, long olderThanMillis, int limit) {
        return List.of();
    }

    @Override
    public List<Settlement> settle(Epoch epoch, List<Settlement> settlements, long atMillis, long claimedForMillis) {
        return List.of();
    }

    @Override
    public Set<Slot> retrying(int limit) {
        return Set.of();
    }

    @Override
    public List<CancelRequest> cancelRequests(int limit) {
        return List.of();
    }

    @Override
    public Set<Slot> cancelWaiting(Epoch epoch, List<CancelRequest> requests) {
        return Set.of();
    }

    @Override
    public void pauseFailing(Epoch epoch) {
        // No task fails often enough.
    }

    @Override
    public StalledTask.StalledTaskPage stalled(long afterTaskId, int most) {
        return new StalledTask.StalledTaskPage(List.of(), StalledTask.FROM_THE_FIRST);
    }

    @Override
    public void restart(Epoch epoch, Map<Long, Long> nextMillis) {
        // No task is stalled.
    }

    @Override
    public Set<Long> tasksThatDrain() {
        return Set.of();
    }

    @Override
    public int enterPassedSlots(Epoch epoch) {
        return 0;
    }

    @Override
    public List<ReleaseRequest> takeReleaseRequests(Epoch epoch, int limit) {
        return List.of();
    }
}
