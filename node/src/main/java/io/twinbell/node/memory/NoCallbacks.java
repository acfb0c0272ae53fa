package io.twinbell.node.memory;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackStore;
import io.twinbell.persistence.ledger.callback.CallbackStore.AdoptedAttempt;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackAnswer;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A store without parked attempts, for an engine that parks none. */
public final class NoCallbacks implements CallbackStore {
    @Override
    public Optional<Map<Slot, Optional<String>>> park(Epoch epoch, List<CallbackRequest> requests) {
        return Optional.empty();
    }

    @Override
    public boolean recordAccepted(Epoch epoch, Map<Slot, Integer> attempts) {
        return false;
    }

    @Override
    public Set<Slot> answer(Epoch epoch, List<CallbackStore.OwnAnswer> answers) {
        return Set.of();
    }

    @Override
    public int expire(Epoch epoch, int limit) {
        return 0;
    }

    @Override
    public List<CallbackAnswer> answers(int limit) {
        return List.of();
    }

    @Override
    public Set<Long> tasksToAdopt(Epoch epoch) {
        return Set.of();
    }

    @Override
    public List<AdoptedAttempt> adopt(Epoch epoch, int limit) {
        return List.of();
    }

    @Override
    public Set<Slot> open(Collection<Slot> slots) {
        return Set.copyOf(slots);
    }

    @Override
    public void close(boolean alsoUnanswered, Duration keep) {}
}
