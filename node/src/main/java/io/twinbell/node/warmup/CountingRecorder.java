package io.twinbell.node.warmup;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import io.twinbell.persistence.ledger.record.Recorder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A recorder for the warm-up run that accepts every outcome and only counts them. */
record CountingRecorder(AtomicInteger outcomes) implements Recorder {
    @Override
    public List<Completion> record(Epoch epoch, List<Completion> completions) {
        outcomes.addAndGet(completions.size());
        return List.of();
    }

    @Override
    public boolean queue(Epoch epoch, List<OverlapQueue> queueing) {
        return true;
    }

    @Override
    public boolean recordWaits(Epoch epoch, List<LedgerWait> held) {
        return true;
    }

    @Override
    public void note(List<Completion> late) {
        // No outcome is late, because no other node supersedes the epoch.
    }
}
