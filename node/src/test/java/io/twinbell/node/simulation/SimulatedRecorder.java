package io.twinbell.node.simulation;

import io.twinbell.node.memory.MemoryRecorder;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import io.twinbell.persistence.ledger.record.Recorder;
import java.util.List;

/** The recorder in memory behind a link. */
final class SimulatedRecorder implements Recorder {
    private final Link link;
    private final MemoryRecorder recorder;

    SimulatedRecorder(Link link, SimulatedDatabase database) {
        this.link = link;
        recorder = new MemoryRecorder(database.tables);
    }

    @Override
    public List<Completion> record(Epoch epoch, List<Completion> completions) {
        return link.guarded("record " + texts(completions), () -> recorder.record(epoch, completions));
    }

    private static String texts(List<Completion> completions) {
        return completions.stream()
                .map(completion -> completion.slot().taskId() + "@"
                        + SimulatedLedger.time(completion.slot().fireTimeMillis()) + "/" + completion.attempt() + ":"
                        + completion.state())
                .toList()
                .toString();
    }

    @Override
    public boolean queue(Epoch epoch, List<OverlapQueue> queueing) {
        return link.guarded("queue " + queueing.size(), () -> recorder.queue(epoch, queueing));
    }

    @Override
    public boolean recordWaits(Epoch epoch, List<LedgerWait> held) {
        return link.guarded("hold " + held.size(), () -> recorder.recordWaits(epoch, held));
    }

    @Override
    public void note(List<Completion> late) {
        link.commit("note " + late.size(), () -> {
            recorder.note(late);
            return null;
        });
    }
}
