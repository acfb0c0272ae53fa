package io.twinbell.node.engine.settle;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.claim.ClaimedRuns;
import io.twinbell.node.engine.definition.ClaimWarmUp;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.engine.worker.DrainingTasks;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.ReleaseRequest;
import io.twinbell.persistence.ledger.recovery.Settlement;
import io.twinbell.persistence.ledger.recovery.StalledTask;
import io.twinbell.persistence.task.DefinitionParts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles what earlier masters left: orphans of older epochs, rows of this epoch that this process does not hold,
 * skipped slots, stalled tasks, and tasks that arrived by SQL.
 */
public final class Settler {
    private static final Logger LOG = LoggerFactory.getLogger(Settler.class);
    private static final int BATCH = 500;
    /** How many tasks that wait for a run, or were just added, are checked in one step. A check takes about 25 us. */
    static final int WAITING_AT_ONCE = 2000;
    /** The reason for settling a row that this epoch's own master released: only a request does that. */
    public static final String RELEASED = "released by hand";

    /**
     * The age from which a claim without a run here counts as lost: this process holds a claim within milliseconds of
     * its commit, or never.
     */
    private static final long UNHELD_AFTER_MILLIS = Duration.ofSeconds(5).toMillis();

    private static final long WHENEVER_CLAIMED = 0;

    private static final Settlement NOTHING =
            new Settlement(ClaimWarmUp.NOTHING, 0, ExecutionState.DROPPED, "nothing", Completion.NOT_FOLLOWED);

    private static final Duration WHILE_DRAINING = Duration.ofMillis(100);
    private static final Duration NEXT_BATCH = Duration.ofMillis(1);
    private static final Duration RARELY = Duration.ofSeconds(3);

    private final ClaimWarmUp.CallPacer warmUpPacer = new ClaimWarmUp.CallPacer();
    private final Loops loops;
    private final FailingSlots failingSlots;
    private final RecoveryStore recovery;
    private final DrainingTasks drainingTasks;
    private final BooleanSupplier sqlArrivals;
    private final RunRegistry registry;
    private final ClaimedRuns claimedRuns;
    private final TaskCompiler compiler;
    private final EngineMetrics metrics;
    private final TimeSources clocks;
    private final ReadRequests readRequests;
    private final BooleanSupplier hasUnansweredClaim;
    private final BooleanSupplier isPaused;
    /**
     * Reruns that were decided in statements without an answer. If a row shows one of these attempts, the attempt has
     * not begun.
     */
    private final Map<Slot, UnansweredRerun> unansweredReruns = new ConcurrentHashMap<>();

    /** Executions to be released on request, with the reason, which their rows get whichever step settles them. */
    private final Map<Slot, String> released = new ConcurrentHashMap<>();

    /** The generation of the database server, read before the current step. */
    private int generation;

    private volatile Predecessor predecessor = Predecessor.over(0);
    private volatile long trustEndedNanos;
    private long lookedForStalledNanos;
    private long lookedAtUpTo = StalledTask.FROM_THE_FIRST;

    private record UnansweredRerun(long epoch, int attempt) {
        static UnansweredRerun of(Attempt attempt) {
            return new UnansweredRerun(attempt.epoch(), attempt.attempt());
        }
    }

    /**
     * @param sqlArrivals processes a bounded number of changes made by SQL; returns whether there may be more
     * @param hasUnansweredClaim whether the ledger may have rows of this epoch that no process holds, because a claim
     *     got no answer
     * @param isPaused whether firing is paused: orphans that would run again are settled after the pause
     */
    public Settler(
            RecoveryStore recovery,
            DrainingTasks drainingTasks,
            BooleanSupplier sqlArrivals,
            RunRegistry registry,
            ClaimedRuns claimedRuns,
            TaskCompiler compiler,
            EngineMetrics metrics,
            TimeSources clocks,
            ReadRequests readRequests,
            BooleanSupplier hasUnansweredClaim,
            BooleanSupplier isPaused) {
        loops = metrics.loops();
        failingSlots = new FailingSlots(clocks.monotonic(), loops.loop("settling-rows"));
        this.recovery = recovery;
        this.drainingTasks = drainingTasks;
        this.sqlArrivals = sqlArrivals;
        this.registry = registry;
        this.claimedRuns = claimedRuns;
        this.compiler = compiler;
        this.metrics = metrics;
        this.clocks = clocks;
        this.readRequests = readRequests;
        this.hasUnansweredClaim = hasUnansweredClaim;
        this.isPaused = isPaused;
    }

    /**
     * Begins a new epoch. Orphans of a predecessor that is certainly over are settled at once. All others wait for one
     * trust window, because until then their process may still start what it has claimed.
     */
    public void begin(Predecessor last) {
        predecessor = last;
        unansweredReruns.clear();
        released.clear();
        trustEndedNanos = clocks.monotonic().nanos() + TrustWindow.WINDOW.toNanos();
    }

    /** Runs the statements of {@link #step} under an epoch that no node has: nothing is settled. */
    public void warmUp() {
        warmUpPacer.run(() -> {
            recovery.orphans(Epoch.NOBODY, BATCH);
            recovery.settle(Epoch.NOBODY, List.of(NOTHING), 0, WHENEVER_CLAIMED);
            recovery.enterPassedSlots(Epoch.NOBODY);
            recovery.own(Epoch.NOBODY, UNHELD_AFTER_MILLIS, BATCH);
            recovery.pauseFailing(Epoch.NOBODY);
            recovery.stalled(StalledTask.FROM_THE_FIRST, BATCH);
            recovery.takeReleaseRequests(Epoch.NOBODY, BATCH);
            recovery.cancelRequests(BATCH);
        });
    }

    /**
     * Does one pass under the epoch; returns when to run again. Orphans go first, because their tasks wait for them.
     */
    public Duration step(Epoch epoch) {
        generation = claimedRuns.generation();
        Set<Long> draining = drainingTasks.read();
        boolean more = loops.askPart("settling-orphans", () -> settle(epoch, orphans(epoch), WHENEVER_CLAIMED));
        loops.runPart("settling-passed-slots", () -> recovery.enterPassedSlots(epoch));
        loops.runPart("settling-own", () -> settle(epoch, unheld(epoch), UNHELD_AFTER_MILLIS));
        loops.runPart("settling-pauses", () -> recovery.pauseFailing(epoch));
        boolean moreArrived = loops.askPart("arrivals", sqlArrivals);
        if (!moreArrived || isStalledLookDue()) {
            loops.runPart("settling-stalled", () -> restartStalled(epoch));
        }
        if (more || moreArrived) {
            return NEXT_BATCH;
        }
        Duration untilTrustEnded = untilTrustEnded();
        Duration next = draining.isEmpty() ? RARELY : WHILE_DRAINING;
        return untilTrustEnded.isZero() || next.compareTo(untilTrustEnded) < 0 ? next : untilTrustEnded.plusMillis(1);
    }

    /**
     * Settles executions that are to be released. Those that another master may still be running are left to
     * {@link #step}.
     */
    public void release(Epoch epoch, List<ReleaseRequest> requests) {
        generation = claimedRuns.generation();
        requests.forEach(request -> released.put(request.attempt().slot(), request.reason()));
        Set<Long> draining = requests.isEmpty() ? Set.of() : drainingTasks.read();
        boolean isTrustOver = untilTrustEnded().isZero();
        List<Attempt> over = requests.stream()
                .map(ReleaseRequest::attempt)
                .filter(attempt -> attempt.epoch() == epoch.number()
                        || isTrustOver && !draining.contains(attempt.slot().taskId()))
                .toList();
        settle(epoch, over, WHENEVER_CLAIMED);
        over.forEach(attempt -> released.remove(attempt.slot()));
    }

    private Duration untilTrustEnded() {
        long left = trustEndedNanos - clocks.monotonic().nanos();
        return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }

    private List<Attempt> orphans(Epoch epoch) {
        boolean isTrustOver = untilTrustEnded().isZero();
        if (!isTrustOver && !predecessor.isOver()) {
            return List.of();
        }
        // Orphans that this node itself still holds are left: another run of the slot would take its place in memory.
        int most = Math.min(BATCH, registry.room());
        return recovery.orphans(epoch, most + registry.countOfOtherEpochs(epoch)).stream()
                .filter(orphan -> isTrustOver || orphan.epoch() == predecessor.epoch())
                .filter(orphan -> !registry.contains(orphan.slot()))
                .limit(most)
                .toList();
    }

    /**
     * Returns rows of this epoch that no process holds. Unanswered claims are checked before the rows are read: a claim
     * that gets no answer later is newer than these rows.
     */
    private List<Attempt> unheld(Epoch epoch) {
        if (hasUnansweredClaim.getAsBoolean()) {
            return List.of();
        }
        Map<Boolean, List<Attempt>> unheld = recovery.own(epoch, UNHELD_AFTER_MILLIS, BATCH).stream()
                .filter(attempt -> !registry.contains(attempt.slot()))
                .filter(attempt -> !registry.unrecordable().contains(attempt.slot()))
                .collect(Collectors.partitioningBy(this::isRerunInDoubt));
        takeReruns(epoch, unheld.get(true));
        return unheld.get(false);
    }

    private boolean isRerunInDoubt(Attempt attempt) {
        return UnansweredRerun.of(attempt).equals(unansweredReruns.get(attempt.slot()));
    }

    /**
     * Takes the reruns. They stay in doubt until this process holds them, because taking them may need the database
     * too.
     */
    private void takeReruns(Epoch epoch, List<Attempt> reruns) {
        reruns.forEach(rerun -> unansweredReruns.put(rerun.slot(), UnansweredRerun.of(rerun)));
        claimedRuns.take(epoch, reruns, generation);
        reruns.forEach(rerun -> unansweredReruns.remove(rerun.slot()));
    }

    /**
     * Tasks that have just arrived have no fire time either. So while thousands arrive, the check costs more than their
     * arrival, and is made less often.
     */
    private boolean isStalledLookDue() {
        return clocks.monotonic().nanos() - lookedForStalledNanos >= RARELY.toNanos();
    }

    /** A task whose schedule follows its runs, but has no run, would never fire again. */
    private void restartStalled(Epoch epoch) {
        lookedForStalledNanos = clocks.monotonic().nanos();
        StalledTask.StalledTaskPage stalledTaskPage = recovery.stalled(lookedAtUpTo, WAITING_AT_ONCE);
        lookedAtUpTo = stalledTaskPage.nextAfter();
        List<StalledTask> tasks = stalledTaskPage.tasks();
        for (int from = 0; from < tasks.size(); from += BATCH) {
            restart(epoch, tasks.subList(from, Math.min(from + BATCH, tasks.size())));
        }
    }

    private void restart(Epoch epoch, List<StalledTask> tasks) {
        Map<Long, Long> next = new HashMap<>();
        for (StalledTask stalled : tasks) {
            TaskDefinition definition = compiler.compile(
                            stalled.app(), stalled.name(), DefinitionParts.whole(stalled.definition()))
                    .definition();
            next.put(stalled.taskId(), nextOf(definition, stalled.lastEndedMillis()));
        }
        LOG.info("{} tasks waited for an execution that does not exist: scheduled them again", next.size());
        recovery.restart(epoch, next);
    }

    /** A task with an unreadable definition is due at once, so that the claimer reports the error. */
    private long nextOf(TaskDefinition definition, long lastEndedMillis) {
        long now = clocks.database().nowMillis();
        if (definition == null) {
            return now;
        }
        boolean counts = definition.schedule().followsTheRun() && lastEndedMillis != 0;
        long next = definition.schedule().afterRun(counts ? lastEndedMillis : now);
        return next == Schedule.NEVER ? Completion.FINISHED : next;
    }

    private boolean settle(Epoch epoch, List<Attempt> orphans, long claimedForMillis) {
        long now = clocks.database().nowMillis();
        List<Settlement> decided = orphans.stream()
                .filter(orphan -> !failingSlots.isSuspended(orphan.slot()))
                .map(orphan -> decide(orphan, now))
                .filter(settlement -> !settlement.isRerun() || !isPaused.getAsBoolean())
                .toList();
        if (decided.isEmpty()) {
            return false;
        }
        List<Settlement> settled = new ArrayList<>();
        failingSlots.halve(
                decided,
                settlement -> settlement.orphan().slot(),
                some -> settled.addAll(carryOut(epoch, some, now, claimedForMillis)));
        List<Attempt> reruns = settled.stream()
                .filter(Settlement::isRerun)
                .map(settlement -> taken(epoch, settlement))
                .toList();
        LOG.info(
                "settled {} orphans: {} run again, {} do not",
                settled.size(),
                reruns.size(),
                settled.size() - reruns.size());
        warnOfDropped(settled);
        settled.forEach(metrics::settled);
        takeReruns(epoch, reruns);
        settled.stream()
                .filter(settlement -> settlement.nextMillis() != Completion.NOT_FOLLOWED)
                .forEach(settlement ->
                        readRequests.changed(settlement.orphan().slot().taskId()));
        return !settled.isEmpty();
    }

    private static void warnOfDropped(List<Settlement> settled) {
        List<Settlement> dropped = settled.stream()
                .filter(settlement -> settlement.end() == ExecutionState.DROPPED)
                .toList();
        if (!dropped.isEmpty()) {
            Settlement first = dropped.get(0);
            LOG.warn(
                    "{} executions are DROPPED, for example of {}/{}: {}; the clients, the API and 'twinbell executions"
                            + " --state DROPPED' list them",
                    dropped.size(),
                    first.orphan().app(),
                    first.orphan().name(),
                    first.reason());
        }
    }

    private Settlement decide(Attempt orphan, long now) {
        String lost = registry.unrecordable().whyLost(orphan.slot());
        if (lost != null) {
            // It has run, so it does not run again.
            TaskDefinition definition = definition(orphan);
            long next = definition == null
                    ? Completion.NOT_FOLLOWED
                    : OutcomeRecorder.nextAfter(definition.schedule(), now);
            return new Settlement(orphan, 0, ExecutionState.DROPPED, lost, next);
        }
        Settlement decided = SettlementDecision.decide(orphan, definition(orphan), overMillis(orphan, now), now);
        String wish = released.get(orphan.slot());
        return wish == null
                ? decided
                : new Settlement(
                        orphan,
                        decided.newAttempt(),
                        decided.end(),
                        RELEASED + ": " + wish + "; " + decided.reason(),
                        decided.nextMillis());
    }

    private List<Settlement> carryOut(Epoch epoch, List<Settlement> decided, long now, long claimedForMillis) {
        try {
            List<Settlement> settled = recovery.settle(epoch, decided, now, claimedForMillis);
            // This process holds these now. One that is missing here may have been settled by an earlier statement that
            // got no answer.
            settled.forEach(settlement -> {
                unansweredReruns.remove(settlement.orphan().slot());
                registry.unrecordable().settled(settlement.orphan().slot());
                released.remove(settlement.orphan().slot());
            });
            return settled;
        } catch (DatabaseUnavailableException e) {
            decided.stream()
                    .filter(Settlement::isRerun)
                    .forEach(settlement -> unansweredReruns.put(
                            settlement.orphan().slot(), new UnansweredRerun(epoch.number(), settlement.newAttempt())));
            throw e;
        }
    }

    private long overMillis(Attempt orphan, long now) {
        return orphan.epoch() == predecessor.epoch() ? Math.min(predecessor.overAtMillis(), now) : now;
    }

    private TaskDefinition definition(Attempt orphan) {
        return orphan.definition() == null
                ? null
                : compiler.compile(orphan.app(), orphan.name(), DefinitionParts.whole(orphan.definition()))
                        .definition();
    }

    private static Attempt taken(Epoch epoch, Settlement settlement) {
        Attempt orphan = settlement.orphan();
        return new Attempt(
                orphan.slot(),
                orphan.app(),
                orphan.name(),
                settlement.newAttempt(),
                epoch.number(),
                epoch.node(),
                orphan.definition(),
                orphan.inTurn(),
                orphan.tags(),
                orphan.snoozes(),
                orphan.origin());
    }
}
