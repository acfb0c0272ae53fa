package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.definition.ClaimWarmUp;
import io.twinbell.node.engine.definition.Definitions;
import io.twinbell.node.engine.definition.HeapTableSync;
import io.twinbell.node.engine.definition.HeapUpdates;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.Limits;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.Ledger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Claims due slots for this node, durably, before anything runs. It takes the tasks that the trigger sent, decides
 * their slots, claims them in one statement, and sends runs and next fire times back to the trigger.
 *
 * <p>A due slot is not claimed in a pass for one of these reasons, and stays due. They are checked in this order:
 *
 * <pre>
 * it waits because                               kept in                       until
 * this process has no room for more runs         DueInbox, in urgency order    runs end
 * other apps have their turn                     DueInbox (AppQueues)          its app's next turn
 * its definition cannot be read                  state ERROR, or the heap      the task is edited
 * its task made a claim fail                     ClaimIsolation, the heap      growing delays
 * an older overdue slot of its task is running   OverdueBacklog, the heap      that run ends
 * a limit is full                                LimitWaitQueue, the heap      a run under the limit ends
 * its row is locked by another transaction       LockedTaskRetry               the next pass
 * </pre>
 */
public final class Claimer {
    private static final Logger LOG = LoggerFactory.getLogger(Claimer.class);
    private static final int BATCH = 1000;
    private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();
    /** Time given to the first page to pass through the trigger before the claimer looks at anything else. */
    private static final long FIRST_DUE_NANOS = Duration.ofMillis(5).toNanos();

    private final Ledger ledger;
    private final HeapTableSync table;
    private final LimitSync limitSync;
    private final TrustWindow trust;
    private final RunRegistry registry;
    private final ClaimedRuns claimedRuns;
    private final DueInbox dueInbox;
    private final ActionQueue actions;
    private final LookAhead lookAhead;
    private final EngineMetrics metrics;
    private final Loop loop;
    private final Supplier<SlotDecision.DecisionContext> decisionContext;
    private final SupersededListener supersededListener;
    private final Limits limits;
    private final LimitWaitQueue limitWaitQueue;
    private final OverdueBacklog backlog;
    private final WaitingRowClaimer waiting;
    private final ClaimBatchSelector batchSelector;
    private final LockedTaskRetry locked;
    private final ClaimWarmUp claimWarmUp;
    private final ClaimIsolation isolation;
    private final SplittableRandom random = new SplittableRandom();
    private volatile UnansweredBatch unansweredBatch;
    private boolean isWaitingFirst;
    private boolean hasJustBegun;
    private boolean hasClaimed;
    private volatile boolean isClaimUnderWay;
    private volatile Epoch claiming;
    private int generation;

    /** A batch whose statement got no answer. It may be in the ledger or not. */
    private record UnansweredBatch(
            Epoch epoch, long batch, List<DecidedSlot> claims, Map<Long, Definitions.KnownDefinition> definitions) {}

    /**
     * @param table reads tasks on the same connection as the claims; so does {@code limitSync} with limits
     * @param dueInbox the due tasks that the trigger adds
     * @param actions what changes in the heap because of a claim
     * @param lookAhead gets the durations of claims, from which the trigger learns how early to send a task
     */
    public Claimer(
            Ledger ledger,
            HeapTableSync table,
            LimitSync limitSync,
            TrustWindow trust,
            RunRegistry registry,
            ClaimedRuns claimedRuns,
            DueInbox dueInbox,
            ActionQueue actions,
            LookAhead lookAhead,
            EngineMetrics metrics,
            Supplier<SlotDecision.DecisionContext> decisionContext,
            SupersededListener supersededListener) {
        this.ledger = ledger;
        this.table = table;
        this.limitSync = limitSync;
        this.trust = trust;
        this.registry = registry;
        this.claimedRuns = claimedRuns;
        this.dueInbox = dueInbox;
        this.actions = actions;
        this.lookAhead = lookAhead;
        this.metrics = metrics;
        loop = metrics.loops().loop("claimer");
        this.decisionContext = decisionContext;
        this.supersededListener = supersededListener;
        limits = registry.limits();
        limitWaitQueue = new LimitWaitQueue(limits);
        backlog = new OverdueBacklog(registry);
        batchSelector = new ClaimBatchSelector(dueInbox, actions, limitWaitQueue, backlog, registry.loads(), BATCH);
        locked = new LockedTaskRetry(table, actions, backlog);
        waiting = new WaitingRowClaimer(ledger, trust, registry, claimedRuns, lookAhead);
        claimWarmUp = new ClaimWarmUp(ledger, table, decisionContext);
        isolation = new ClaimIsolation(BATCH, loop);
    }

    /** Begins to claim under the epoch; returns when the first page of the heap is read. */
    public synchronized void begin(Epoch epoch) {
        dueInbox.clear();
        locked.clear();
        backlog.clear();
        limitWaitQueue.clear();
        isolation.clear();
        forgetUnanswered();
        waiting.begin();
        limitSync.begin(epoch);
        table.beginRebuild();
        hasClaimed = false;
        hasJustBegun = true;
        claiming = epoch;
    }

    /** If the claim did enter rows, they are orphans by now. */
    private void forgetUnanswered() {
        if (unansweredBatch != null) {
            unansweredBatch.claims().forEach(claim -> claimedRuns.notEntered(claim.slot()));
            unansweredBatch = null;
        }
    }

    /** Stops claiming; returns when no claim is in flight. */
    public void stop() {
        claiming = null;
        synchronized (this) {
            lookUpUnansweredAtLast();
            dueInbox.clear();
            table.stop();
        }
    }

    /**
     * Runs the claim statements without authority. Only while nothing is claimed, because it uses the claims'
     * connection.
     */
    public synchronized void warmUp() {
        if (claiming == null) {
            claimWarmUp.claim();
            waiting.warmUp();
        }
    }

    /** Looks up an unanswered claim, so that the rows that it entered are handed back with the others. */
    private void lookUpUnansweredAtLast() {
        try {
            lookUpUnanswered();
        } catch (DatabaseUnavailableException e) {
            LOG.warn("the outcome of a claim is unknown, and the successor settles it: {}", e.getMessage());
        }
    }

    /** Notes that PENDING or RETRYING rows were added. Any thread. */
    public void pendingChanged() {
        waiting.changed();
    }

    /**
     * The time since which the oldest slot outside the heap and the claimer's batch has been due; {@link
     * Long#MAX_VALUE} for none. Any thread.
     */
    public long waitingSince(long nowMillis) {
        return Math.min(waiting.dueSince(nowMillis), isolation.soonestMillis());
    }

    /**
     * Whether rows of a claim may be in the ledger that this process does not hold yet, and may never hold. Any thread.
     */
    public boolean hasUnansweredClaim() {
        return isClaimUnderWay || unansweredBatch != null || waiting.hasUnansweredClaim();
    }

    /** Does one pass: reads, then claims one batch; returns how long to sleep if nothing is added, in nanoseconds. */
    public synchronized long step() {
        Epoch epoch = claiming;
        if (epoch == null) {
            return IDLE_NANOS;
        }
        boolean isFirst = hasJustBegun;
        hasJustBegun = false;
        if (isFirst && dueInbox.isEmpty()) {
            return FIRST_DUE_NANOS;
        }
        try {
            generation = claimedRuns.generation();
            lookUpUnanswered();
            boolean more = table.step();
            dueInbox.passes(table.hasRequests());
            limitSync.step(epoch);
            locked.tryAgain(decisionContext.get().nowMillis());
            isolation.step(decisionContext.get().nowMillis());
            table.check(dueInbox);
            isWaitingFirst = goWaitingRowsFirst();
            hasClaimed = true;
            more |= isWaitingFirst && claimWaiting(epoch);
            more |= claimDue(epoch);
            more |= !isWaitingFirst && claimWaiting(epoch);
            metrics.waitForLimits(limitWaitQueue.size());
            if (more) {
                return 0;
            }
            return Math.min(locked.isEmpty() ? IDLE_NANOS : RETRY_NANOS, untilSomethingIsDue());
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return RETRY_NANOS;
        }
    }

    /**
     * Due slots and waiting rows alternate, so that neither starves the other where room is short. At first, what is
     * late already goes first: overdue slots, or else the rows, which the former master may have just handed back.
     */
    private boolean goWaitingRowsFirst() {
        return hasClaimed
                ? !isWaitingFirst
                : dueInbox.noneBeforeMillis() > decisionContext.get().nowMillis();
    }

    private long untilSomethingIsDue() {
        long now = decisionContext.get().nowMillis();
        long millis = Math.min(waiting.sleepMillis(now), limitSync.sleepMillis());
        long nextRoom = limitWaitQueue.nextMillis(now);
        millis = nextRoom == Long.MAX_VALUE ? millis : Math.min(millis, Math.max(0, nextRoom - now));
        return Math.min(millis, IDLE_NANOS / 1_000_000) * 1_000_000;
    }

    private boolean claimWaiting(Epoch epoch) {
        return claiming != null && waiting.step(epoch, decisionContext.get());
    }

    private boolean claimDue(Epoch epoch) {
        // A handover waits for the end of this step.
        long began = lookAhead.begin();
        ClaimRoom room = registry.roomForDue().atMost(claiming == null ? 0 : isolation.atOnce());
        if (room.isNone()) {
            return false;
        }
        table.readApps(dueInbox, room);
        ClaimBatchSelector.Batch batch =
                batchSelector.take(room, decisionContext.get().nowMillis());
        Map<Long, Long> due = batch.due();
        if (due.isEmpty()) {
            return batch.hasLetIn();
        }
        try {
            claim(epoch, due);
        } catch (DatabaseUnavailableException e) {
            putBack(due);
            dueInbox.failed();
            isolation.failed(due, e, decisionContext.get().nowMillis());
            throw e;
        }
        dueInbox.claimed();
        lookAhead.claimed(due.size(), began);
        return batch.hasLetIn() || due.size() >= Math.max(1, room.soon());
    }

    /** The database refused before anything was sent: the trigger sends these tasks again. */
    private void putBack(Map<Long, Long> due) {
        if (unansweredBatch == null) {
            due.forEach((id, fireMillis) -> claimedRuns.notEntered(new Slot(id, fireMillis)));
            long[] backIds = due.keySet().stream().mapToLong(id -> id).toArray();
            table.readAgain(backIds);
        }
    }

    private void claim(Epoch epoch, Map<Long, Long> due) {
        long[] dueIds = due.keySet().stream().mapToLong(id -> id).toArray();
        Map<Long, Definitions.KnownDefinition> definitions = table.definitions(dueIds, dueIds.length);
        List<DecidedSlot> claims = decide(epoch, due, definitions);
        if (claims.isEmpty()) {
            return;
        }
        long batch = random.nextLong();
        TrustWindow.Proof proof = trust.before(epoch);
        ClaimOutcome outcome;
        isClaimUnderWay = true;
        try {
            outcome = ledger.claim(epoch, batch, claims);
            if (outcome.authorised()) {
                trust.proven(proof);
            }
            isolation.claimed(claims);
            take(epoch, claims, outcome.entered(), definitions);
        } catch (DatabaseUnavailableException e) {
            unansweredBatch = new UnansweredBatch(epoch, batch, claims, definitions);
            throw e;
        } finally {
            isClaimUnderWay = false;
        }
        if (!outcome.authorised()) {
            claiming = null;
            supersededListener.superseded(epoch, claims.size());
            return;
        }
        List<DecidedSlot> unmoved = claims.stream()
                .filter(claim -> !outcome.advanced().contains(claim.taskId()))
                .toList();
        if (!unmoved.isEmpty()) {
            locked.retryLater(unmoved);
        }
        sendNextFireTimes(claims, outcome, definitions);
    }

    private List<DecidedSlot> decide(
            Epoch epoch, Map<Long, Long> due, Map<Long, Definitions.KnownDefinition> definitions) {
        SlotDecision.DecisionContext now = decisionContext.get();
        List<DecidedSlot> claims = new ArrayList<>(due.size());
        due.forEach((id, fireMillis) -> {
            Definitions.KnownDefinition known = definitions.get(id);
            if (known == null) {
                backlog.forget(id);
                return;
            }
            if (known.definition() == null) {
                markUnreadable(epoch, id, known, fireMillis, now.nowMillis());
                return;
            }
            Long putOff = isolation.putOffUntil(id, now.nowMillis());
            if (putOff != null) {
                actions.add(HeapAction.Put.one(id, putOff, known.priority(), known.app()));
                return;
            }
            if (backlog.mustWait(id, fireMillis, known.definition(), now.nowMillis())) {
                long until = backlog.postpone(id, fireMillis, now.nowMillis());
                actions.add(HeapAction.Put.one(id, until, known.priority(), known.app()));
                return;
            }
            int oldestLeft = backlog.oldestLeft(id, known.definition());
            DecidedSlot claim = SlotDecision.decide(known.due(id, fireMillis, oldestLeft), now.of(known::limitKeys));
            if (hasRoom(claim, known, now.nowMillis())) {
                claims.add(claim);
            }
        });
        return claims;
    }

    /** A slot without room under a limit is not claimed: it stays due, and waits for running executions to end. */
    private boolean hasRoom(DecidedSlot claim, Definitions.KnownDefinition known, long nowMillis) {
        boolean isLimited = limits.inUse() && claim.entry().state() == ExecutionState.CLAIMED;
        long fireMillis = claim.expectedMillis();
        String full = isLimited ? limits.enter(claim.slot(), known.limitKeys(), Math.max(nowMillis, fireMillis)) : null;
        if (full != null) {
            limitWaitQueue.add(full, claim.taskId(), fireMillis, known.priority());
            long until = backlog.postponeLong(claim.taskId(), fireMillis, nowMillis);
            actions.add(HeapAction.Put.one(claim.taskId(), until, known.priority(), known.app()));
        }
        return full == null;
    }

    /** An unreadable definition must not stop other tasks, even if its row cannot be marked yet. */
    private void markUnreadable(
            Epoch epoch, long id, Definitions.KnownDefinition known, long fireMillis, long nowMillis) {
        if (!ledger.markUnreadable(epoch, id, known.version(), known.error())) {
            // The row may have been repaired or removed without a notification, so it is read again.
            table.forget(id);
            long until = backlog.postpone(id, fireMillis, nowMillis);
            actions.add(HeapAction.Put.one(id, until, known.priority(), known.app()));
            return;
        }
        LOG.warn(
                "task {} ({}/{}) is put into state ERROR: {}",
                id,
                known.name().app(),
                known.name().name(),
                known.error());
        table.readAgain(id);
    }

    /** Turns the rows that were entered into runs and sends them to the trigger. */
    private void take(
            Epoch epoch,
            List<DecidedSlot> claims,
            Set<Long> entered,
            Map<Long, Definitions.KnownDefinition> definitions) {
        List<Run> runs = new ArrayList<>();
        long now = decisionContext.get().nowMillis();
        for (DecidedSlot claim : claims) {
            if (!entered.contains(claim.taskId())) {
                claimedRuns.notEntered(claim.slot());
                continue;
            }
            Definitions.KnownDefinition known = definitions.get(claim.taskId());
            boolean isRun = claim.entry().state() == ExecutionState.CLAIMED;
            backlog.entered(claim.taskId(), known.definition(), claim.expectedMillis(), now, isRun);
            if (isRun) {
                runs.add(known.firstRun(claim.slot(), epoch, generation));
            } else {
                metrics.countWithoutRun(known.name().app(), claim.entry());
            }
        }
        claimedRuns.take(runs);
    }

    /** Sends the next fire times of the tasks that advanced. */
    private void sendNextFireTimes(
            List<DecidedSlot> claims, ClaimOutcome outcome, Map<Long, Definitions.KnownDefinition> definitions) {
        HeapUpdates heapUpdates = new HeapUpdates(claims.size());
        for (DecidedSlot claim : claims) {
            boolean goesOn = outcome.advanced().contains(claim.taskId())
                    && !outcome.exhausted().contains(claim.taskId());
            long next = outcome.nextMillis(claim);
            if (goesOn && next != DecidedSlot.NONE) {
                heapUpdates.add(claim.taskId(), next, definitions.get(claim.taskId()));
            } else if (claim.finished() && outcome.advanced().contains(claim.taskId())) {
                table.forget(claim.taskId());
                backlog.forget(claim.taskId());
            }
        }
        heapUpdates.sendTo(actions);
    }

    private void lookUpUnanswered() {
        waiting.lookUpUnanswered();
        UnansweredBatch asked = unansweredBatch;
        if (asked == null) {
            return;
        }
        Set<Long> entered = ledger.enteredInBatch(asked.epoch(), asked.batch(), asked.claims());
        // As long as the database takes no writes, every try leaves one claim that entered nothing.
        Level level = entered.isEmpty() ? Level.DEBUG : Level.INFO;
        LOG.atLevel(level)
                .log("of {} unanswered claims, {} were recorded", asked.claims().size(), entered.size());
        take(asked.epoch(), asked.claims(), entered, asked.definitions());
        // Cleared only now: settling must know of the doubt until this process holds the rows.
        unansweredBatch = null;
        table.readAgain(asked.claims().stream().mapToLong(DecidedSlot::taskId).toArray());
    }
}
