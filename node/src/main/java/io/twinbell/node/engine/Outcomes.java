package io.twinbell.node.engine;

import io.twinbell.node.handler.Outcome;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Recorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes outcomes durable, in batches that form by themselves: what has ended while the last batch was written is the
 * next. While the database is away they wait here; there are never more than this process has in flight.
 */
final class Outcomes {
    private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);
    private static final int BATCH = 1000;
    private static final long FOREVER_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_NANOS = Duration.ofMillis(200).toNanos();

    private final Recorder recorder;
    private final InFlight inFlight;
    private final DatabaseClock clock;
    private final Fence fence;
    private final EngineMetrics metrics;
    private final LinkedBlockingQueue<Ended> queue = new LinkedBlockingQueue<>();
    private final List<Ended> batch = new ArrayList<>();
    private volatile Runnable onAdd = () -> {};
    private volatile LongConsumer onFollowed = taskId -> {};
    private volatile Runnable onRoom = () -> {};

    /** @param run null if the row could not be made one */
    private record Ended(Run run, Completion completion) {}

    Outcomes(Recorder recorder, InFlight inFlight, DatabaseClock clock, Fence fence, EngineMetrics metrics) {
        this.recorder = recorder;
        this.inFlight = inFlight;
        this.clock = clock;
        this.fence = fence;
        this.metrics = metrics;
    }

    /** Who is woken when there is something to record, and who is told of tasks whose run set their next fire time. */
    void wakes(Runnable recorderThread, LongConsumer followed) {
        onAdd = recorderThread;
        onFollowed = followed;
    }

    void warmUp() {
        recorder.record(Trust.NOBODY, List.of());
    }

    /** Who is told that runs have left this process's hands, so that others may be claimed. */
    void makesRoom(Runnable claimer) {
        onRoom = claimer;
    }

    /** The run has ended. */
    void add(Run run, Outcome outcome) {
        long ended = clock.nowMillis();
        boolean hasRun = outcome.state() != ExecutionState.SKIPPED;
        Completion.Run times =
                hasRun ? new Completion.Run(run.startedMillis(), ended) : new Completion.Run(Long.MAX_VALUE, ended);
        Completion.Text text = new Completion.Text(outcome.output(), outcome.error(), outcome.reason());
        metrics.ended(run, outcome.state(), ended);
        // A run that was not let beside another is followed by what follows that other.
        offer(run, outcome.state(), times, text, hasRun ? nextAfter(run, ended) : Completion.NOT_FOLLOWED);
    }

    /** The run goes on for long enough that its row should say so. */
    void addRunning(Run run) {
        Completion.Run times = new Completion.Run(run.startedMillis(), Long.MAX_VALUE);
        offer(run, ExecutionState.RUNNING, times, Completion.Text.NONE, Completion.NOT_FOLLOWED);
    }

    /** A claimed row that cannot be run at all. */
    void addUnrunnable(Epoch epoch, Attempt attempt, ExecutionState state, String why) {
        boolean isFailure = state == ExecutionState.FAILED;
        Completion.Text text = new Completion.Text(null, isFailure ? why : null, isFailure ? null : why);
        Completion.Run times = new Completion.Run(Long.MAX_VALUE, clock.nowMillis());
        queue.add(new Ended(
                null,
                new Completion(epoch, attempt.slot(), attempt.attempt(), state, times, text, Completion.NOT_FOLLOWED)));
        onAdd.run();
    }

    private void offer(Run run, ExecutionState state, Completion.Run times, Completion.Text text, long next) {
        queue.add(new Ended(
                run, new Completion(run.epoch(), run.slot(), run.attempt().attempt(), state, times, text, next)));
        onAdd.run();
    }

    static long nextAfter(Run run, long endedMillis) {
        return nextAfter(run.definition().schedule(), endedMillis);
    }

    static long nextAfter(Schedule schedule, long endedMillis) {
        if (!schedule.followsTheRun()) {
            return Completion.NOT_FOLLOWED;
        }
        long next = schedule.afterRun(endedMillis);
        return next == Schedule.NEVER ? Completion.FINISHED : next;
    }

    /** Records one batch; returns how long to sleep if nothing is added, in nanoseconds. */
    long step() {
        queue.drainTo(batch, BATCH - batch.size());
        if (batch.isEmpty()) {
            return FOREVER_NANOS;
        }
        try {
            Map<Epoch, List<Completion>> byEpoch = new LinkedHashMap<>();
            for (Ended ended : batch) {
                byEpoch.computeIfAbsent(ended.completion().epoch(), epoch -> new ArrayList<>())
                        .add(ended.completion());
            }
            byEpoch.forEach(this::record);
        } catch (DatabaseUnavailableException e) {
            if (!e.isRefusal()) {
                return RETRY_NANOS;
            }
            LOG.error("the database refuses a batch of {} outcomes, recording them one by one", batch.size(), e);
            batch.forEach(this::recordAlone);
        }
        batch.forEach(this::settled);
        batch.clear();
        onRoom.run();
        return 0;
    }

    /** One outcome that cannot be stored must not keep the others; settling finds its row again. */
    private void recordAlone(Ended ended) {
        try {
            record(ended.completion().epoch(), List.of(ended.completion()));
        } catch (DatabaseUnavailableException e) {
            LOG.error("the outcome of {} is lost", ended.completion().slot().idempotencyKey(), e);
        }
    }

    private void record(Epoch epoch, List<Completion> completions) {
        // A statement updates a row once: of two completions of one slot, the later in its own statement.
        List<Completion> running = completions.stream()
                .filter(completion -> !completion.state().isFinal())
                .toList();
        List<Completion> ended = completions.stream()
                .filter(completion -> completion.state().isFinal())
                .toList();
        if (!running.isEmpty()) {
            recorder.record(epoch, running);
        }
        if (!ended.isEmpty()) {
            List<Completion> refused = recorder.record(epoch, ended);
            if (!refused.isEmpty()) {
                fence.superseded(epoch, refused.size());
                recorder.note(refused);
            }
        }
    }

    private void settled(Ended ended) {
        if (ended.run() != null && ended.completion().state().isFinal()) {
            inFlight.remove(ended.run());
            if (ended.completion().nextMillis() != Completion.NOT_FOLLOWED) {
                onFollowed.accept(ended.run().slot().taskId());
            }
        }
    }
}
