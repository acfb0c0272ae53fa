package io.twinbell.node.engine;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import io.twinbell.persistence.ledger.record.Recorder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** Keeps final outcomes for a test to read. It can refuse outcomes, or fail. */
public final class KeptRecorder implements Recorder {
    public final List<Integer> batches = new ArrayList<>();
    public final List<Completion> noted = new ArrayList<>();
    public final List<Completion> running = new ArrayList<>();
    public final List<OverlapQueue> queued = new ArrayList<>();
    public final List<Long> held = new ArrayList<>();
    public boolean refuses;
    public RuntimeException failure;
    /** With which the recording of waits fails; null if it succeeds. */
    public RuntimeException waitFailure;
    /** The exception with which a batch fails; null if it succeeds. */
    public Function<List<Completion>, RuntimeException> fails = completions -> failure;

    private final Collection<Completion> kept;

    public KeptRecorder(Collection<Completion> kept) {
        this.kept = kept;
    }

    @Override
    public List<Completion> record(Epoch epoch, List<Completion> completions) {
        RuntimeException thrown = fails.apply(completions);
        if (thrown != null) {
            throw thrown;
        }
        batches.add(completions.size());
        if (refuses) {
            return completions;
        }
        for (Completion completion : completions) {
            (completion.endsAttempt() ? kept : running).add(completion);
        }
        return List.of();
    }

    @Override
    public boolean queue(Epoch epoch, List<OverlapQueue> queueing) {
        queued.addAll(queueing);
        return !refuses;
    }

    @Override
    public boolean recordWaits(Epoch epoch, List<LedgerWait> waiting) {
        if (waitFailure != null) {
            throw waitFailure;
        }
        waiting.forEach(one -> held.add(one.slot().taskId()));
        return !refuses;
    }

    @Override
    public void note(List<Completion> late) {
        noted.addAll(late);
    }
}
