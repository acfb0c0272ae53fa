package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.definition.ClaimWarmUp;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.run.Limits;
import io.twinbell.node.engine.run.OverlapGate;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.Ledger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * Claims rows that wait in the ledger: manual runs, runs that were handed back, further attempts. Claimer's thread
 * only.
 */
final class WaitingRowClaimer {
    private static final int BATCH = 500;
    private static final long LOOK_AT_HELD_MILLIS = Duration.ofSeconds(3).toMillis();

    private final Ledger ledger;
    private final TrustWindow trust;
    private final RunRegistry registry;
    private final OverlapGate overlap;
    private final ClaimedRuns claims;
    private final LookAhead lookAhead;
    private final ClaimWarmUp.CallPacer warmUpPacer = new ClaimWarmUp.CallPacer();
    private final AppShares appShares = new AppShares();
    private final ClaimPace pace = new ClaimPace(BATCH);
    private final SplittableRandom random = new SplittableRandom();
    private volatile boolean wanted;
    private volatile UnansweredBatch unansweredBatch;
    private volatile boolean isUnderWay;
    private boolean areDoubtsSettled;
    private long heldMillis;
    /** The time of the last step. */
    private long seenMillis;
    /**
     * When to try again the rows that were due at the last step and could not be claimed; {@link DecidedSlot#NONE} if
     * there were none.
     */
    private long againMillis = DecidedSlot.NONE;

    private volatile long nextMillis = DecidedSlot.NONE;

    /** A batch whose statement got no answer. It may have claimed rows or not. */
    private record UnansweredBatch(Epoch epoch, long batch) {}

    WaitingRowClaimer(Ledger ledger, TrustWindow trust, RunRegistry registry, ClaimedRuns claims, LookAhead lookAhead) {
        this.ledger = ledger;
        this.trust = trust;
        this.registry = registry;
        overlap = registry.overlap();
        this.claims = claims;
        this.lookAhead = lookAhead;
    }

    void begin() {
        unansweredBatch = null;
        wanted = true;
        heldMillis = 0;
        nextMillis = DecidedSlot.NONE;
        areDoubtsSettled = false;
        appShares.end();
    }

    void warmUp() {
        warmUpPacer.run(() -> {
            ledger.claimWaiting(Epoch.NOBODY, 0, new Ledger.DueBounds(0, 0), 1);
            ledger.claimWaiting(Epoch.NOBODY, 0, new Ledger.DueBounds(0, 0), Map.of());
            ledger.appsWaiting(new Ledger.DueBounds(0, 0), "", 1);
            ledger.nextWaitingMillis(0);
            ledger.tasksInTurn(0);
            ledger.waitedLimits();
            ledger.handBack(Epoch.NOBODY, List.of(ClaimWarmUp.NOTHING));
        });
    }

    /** Notes that there are rows that wait. Any thread. */
    void changed() {
        wanted = true;
    }

    /** Whether a claim is under way or got no answer. Any thread. */
    boolean hasUnansweredClaim() {
        return isUnderWay || unansweredBatch != null;
    }

    void lookUpUnanswered() {
        UnansweredBatch asked = unansweredBatch;
        if (asked != null) {
            int generation = claims.generation();
            claims.take(asked.epoch(), ledger.claimedInBatch(asked.epoch(), asked.batch()), generation);
            unansweredBatch = null;
            wanted = true;
        }
    }

    /**
     * Claims some rows; returns whether there are more. While firing is paused, the rows wait; the end of the pause
     * wakes the claimer.
     */
    boolean step(Epoch epoch, SlotDecision.DecisionContext decisionContext) {
        if (!areDoubtsSettled && settleDoubts(epoch, decisionContext.doubt())) {
            return true;
        }
        releaseWaiting(epoch, decisionContext.nowMillis());
        // The end of any run may make it a waiting row's turn, and wakes the claimer.
        boolean isTime = wanted
                || appShares.isScarce()
                || !overlap.tasksInTurn().isEmpty()
                || nextMillis <= decisionContext.nowMillis();
        seenMillis = decisionContext.nowMillis();
        againMillis = DecidedSlot.NONE;
        if (!isTime) {
            return false;
        }
        if (decisionContext.isFiringHeld() || claims.hasTooManyUnrunnable()) {
            againMillis = seenMillis + LOOK_AT_HELD_MILLIS;
            return false;
        }
        return claimSome(epoch, new Ledger.DueBounds(seenMillis, seenMillis + LookAhead.USUAL.toMillis()));
    }

    private boolean claimSome(Epoch epoch, Ledger.DueBounds due) {
        ClaimRoom room = registry.roomForWaiting().atMost(pace.rows());
        int roomOfOneApp = Math.min(room.soon(), registry.roomOfUnknownApp());
        boolean more;
        if (!appShares.isScarce() && roomOfOneApp > 0) {
            more = claimInOrder(epoch, due, roomOfOneApp);
        } else {
            Map<String, Integer> shares = sharesOfApps(due, room);
            if (shares.isEmpty()) {
                againMillis = Math.max(appShares.nextLookMillis(), due.nowMillis() + 1);
                return false;
            }
            more = claimShares(epoch, due, shares);
        }
        nextMillis = ledger.nextWaitingMillis(due.nowMillis());
        Set<Long> known = overlap.tasksInTurn();
        overlap.replaceTasksInTurn(known, ledger.tasksInTurn(due.nowMillis()));
        return more;
    }

    private boolean claimInOrder(Epoch epoch, Ledger.DueBounds due, int limit) {
        wanted = false;
        boolean more = claim(epoch, batch -> ledger.claimWaiting(epoch, batch, due, limit))
                        .size()
                == limit;
        if (more) {
            appShares.begin();
        }
        return more;
    }

    private Map<String, Integer> sharesOfApps(Ledger.DueBounds due, ClaimRoom room) {
        if (appShares.isLookDue(due.nowMillis())) {
            // After the last page, the first one may have more.
            wanted = !appShares.after().isEmpty();
            long began = lookAhead.begin();
            List<String> apps = ledger.appsWaiting(due, appShares.after(), AppShares.MOST_APPS);
            appShares.recordRead(apps, due.nowMillis(), Duration.ofNanos(lookAhead.begin() - began));
        }
        return appShares.shares(room, registry.loads());
    }

    private boolean claimShares(Epoch epoch, Ledger.DueBounds due, Map<String, Integer> shares) {
        boolean more = appShares.claimed(shares, claim(epoch, batch -> ledger.claimWaiting(epoch, batch, due, shares)));
        if (appShares.isScarce()) {
            return more;
        }
        // Rows may have been added since the last look.
        wanted = true;
        return true;
    }

    /**
     * Settles rows that a lost master may have run; they must not be claimed before. Returns whether there are more.
     */
    private boolean settleDoubts(Epoch epoch, DoubtWindow.DoubtBounds doubt) {
        if (!doubt.equals(DoubtWindow.DoubtBounds.NONE)) {
            Ledger.SettledDoubts settled = ledger.settleDoubts(epoch, BATCH);
            settled.dropped().forEach(overlap::dropRetry);
            if (settled.isMore()) {
                return true;
            }
        }
        areDoubtsSettled = true;
        return false;
    }

    /** Lets rows that waited for a limit be claimed, if it has room now. */
    private void releaseWaiting(Epoch epoch, long nowMillis) {
        Limits limits = registry.limits();
        if (nowMillis - heldMillis >= LOOK_AT_HELD_MILLIS) {
            // Another master may have left some of these rows, and may add more while it drains.
            for (String lacking : limits.noteWaiting(ledger.waitedLimits())) {
                // Releases only some at a time: if this node still lacks the handler, they go back to waiting.
                wanted |= ledger.releaseWaiting(epoch, lacking, BATCH) > 0;
            }
            heldMillis = nowMillis;
        }
        for (String key = limits.takeAwaited(nowMillis); key != null; key = limits.takeAwaited(nowMillis)) {
            if (releaseWaiting(epoch, key, Math.min(BATCH, limits.room(key, nowMillis)))) {
                return;
            }
        }
    }

    /** Returns whether more rows may have room. */
    private boolean releaseWaiting(Epoch epoch, String key, int room) {
        boolean isMore = true;
        try {
            isMore = ledger.releaseWaiting(epoch, key, room) == room;
        } finally {
            if (isMore) {
                registry.limits().awaitedInLedger(key);
            }
        }
        wanted = true;
        return isMore;
    }

    /** @param statement claims under the given batch number */
    private List<Attempt> claim(Epoch epoch, LongFunction<List<Attempt>> statement) {
        long batch = random.nextLong();
        int generation = claims.generation();
        TrustWindow.Proof proof = trust.before(epoch);
        isUnderWay = true;
        try {
            long began = lookAhead.begin();
            List<Attempt> attempts = statement.apply(batch);
            pace.claimed(attempts.size(), Duration.ofNanos(lookAhead.begin() - began));
            if (!attempts.isEmpty()) {
                trust.proven(proof);
                lookAhead.progressed();
            }
            claims.take(epoch, attempts, generation);
            return attempts;
        } catch (DatabaseUnavailableException e) {
            unansweredBatch = new UnansweredBatch(epoch, batch);
            throw e;
        } finally {
            isUnderWay = false;
        }
    }

    /** Since when the next row has been due; {@link Long#MAX_VALUE} if it is not due. Any thread. */
    long dueSince(long nowMillis) {
        long next = nextMillis;
        return next <= nowMillis ? next : Long.MAX_VALUE;
    }

    /** How long until there is something to do, in milliseconds, unless the claimer is woken before. */
    long sleepMillis(long nowMillis) {
        // Rows that were due at the last step and could not be claimed wait for the end of a run, which wakes the
        // claimer.
        boolean isHeldUp = againMillis != DecidedSlot.NONE;
        long next = isHeldUp && nextMillis <= seenMillis ? againMillis : Math.min(nextMillis, againMillis);
        next = Math.min(next, registry.limits().nextAwaitedMillis(nowMillis));
        if (appShares.isScarce() && !isHeldUp) {
            next = Math.min(next, appShares.nextLookMillis());
        }
        if (registry.limits().isHandlerLacking()) {
            next = Math.min(next, heldMillis + LOOK_AT_HELD_MILLIS);
        }
        return next == DecidedSlot.NONE ? Long.MAX_VALUE : Math.max(0, next - nowMillis);
    }
}
