package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Doubt;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Claim;
import io.twinbell.persistence.ledger.Ledger;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Claims what waits in the ledger itself: runs by hand, what was handed back, further attempts. Claimer's thread only. */
final class WaitingClaims {
    private static final int BATCH = 500;
    private static final long LOOK_AT_HELD_MILLIS = Duration.ofSeconds(3).toMillis();

    private final Ledger ledger;
    private final TrustWindow trust;
    private final ClaimedRuns claims;
    private final ClaimWarmUp.Pace inVain = new ClaimWarmUp.Pace();
    private final SplittableRandom random = new SplittableRandom();
    private volatile boolean wanted;
    private volatile Doubtful doubtful;
    private volatile boolean isUnderWay;
    private boolean areDoubtsSettled;
    private long heldMillis;
    private volatile long nextMillis = Claim.NONE;

    /** A batch whose statement got no answer: it may have made rows ours or not. */
    private record Doubtful(Epoch epoch, long batch) {}

    WaitingClaims(Ledger ledger, TrustWindow trust, ClaimedRuns claims) {
        this.ledger = ledger;
        this.trust = trust;
        this.claims = claims;
    }

    void begin() {
        doubtful = null;
        wanted = true;
        heldMillis = 0;
        nextMillis = Claim.NONE;
        areDoubtsSettled = false;
    }

    void warmUp() {
        inVain.run(() -> {
            ledger.claimWaiting(TrustWindow.NOBODY, 0, new Ledger.Due(0, 0), 1);
            ledger.nextWaitingMillis(0);
            ledger.tasksInTurn(0);
            ledger.heldBy();
            ledger.handBack(TrustWindow.NOBODY, List.of(ClaimWarmUp.NOTHING));
        });
    }

    /** There are rows that wait. Any thread. */
    void changed() {
        wanted = true;
    }

    /** Any thread. */
    boolean isInDoubt() {
        return isUnderWay || doubtful != null;
    }

    void resolveDoubt() {
        Doubtful asked = doubtful;
        if (asked != null) {
            int generation = claims.generation();
            claims.take(asked.epoch(), ledger.claimedInBatch(asked.epoch(), asked.batch()), generation);
            doubtful = null;
            wanted = true;
        }
    }

    /** While firing is held they wait too; whoever ends the pause has them looked at again. Returns whether there is more. */
    boolean step(Epoch epoch, SlotDecision.World world) {
        if (!areDoubtsSettled && settleDoubts(epoch, world.doubt())) {
            return true;
        }
        letGo(epoch, world.nowMillis());
        // Any run that ends may let one of those go on that wait for their turn, and wakes the claimer.
        boolean isTime = wanted || claims.isTurnAwaited() || nextMillis <= world.nowMillis();
        int limit = Math.min(BATCH, (claims.roomSoon() + 1) / 2);
        if (!isTime || limit == 0 || world.isFiringHeld() || claims.isFullOfUnrunnable()) {
            return false;
        }
        wanted = false;
        long fireUntil = world.nowMillis() + LookAhead.USUAL.toMillis();
        boolean more = claim(epoch, new Ledger.Due(world.nowMillis(), fireUntil), limit) == limit;
        wanted |= more;
        nextMillis = ledger.nextWaitingMillis(world.nowMillis());
        claims.waitInLedger(ledger::tasksInTurn, world.nowMillis());
        return more;
    }

    /** What a lost master may have run must not be claimed before. Returns whether there is more. */
    private boolean settleDoubts(Epoch epoch, Doubt.Window doubt) {
        if (!doubt.equals(Doubt.Window.NONE)) {
            Ledger.SettledDoubts settled = ledger.settleDoubts(epoch, BATCH);
            claims.dropped(settled.dropped());
            if (settled.isMore()) {
                return true;
            }
        }
        areDoubtsSettled = true;
        return false;
    }

    /** What waits for room under a limit, and has it now. */
    private void letGo(Epoch epoch, long nowMillis) {
        Limits limits = claims.limits();
        if (nowMillis - heldMillis >= LOOK_AT_HELD_MILLIS) {
            // Another master may have left some, and may go on to while it drains.
            for (String lacking : limits.heldInLedger(ledger.heldBy())) {
                // Some at a time: where this node still lacks the handler, they are laid down again.
                wanted |= ledger.letGo(epoch, lacking, BATCH) > 0;
            }
            heldMillis = nowMillis;
        }
        for (String key = limits.takeAwaited(nowMillis); key != null; key = limits.takeAwaited(nowMillis)) {
            if (letGo(epoch, key, Math.min(BATCH, limits.room(key, nowMillis)))) {
                return;
            }
        }
    }

    /** Whether there may be more that has room. */
    private boolean letGo(Epoch epoch, String key, int room) {
        boolean isMore = true;
        try {
            isMore = ledger.letGo(epoch, key, room) == room;
        } finally {
            if (isMore) {
                claims.limits().awaitedInLedger(key);
            }
        }
        wanted = true;
        return isMore;
    }

    private int claim(Epoch epoch, Ledger.Due due, int limit) {
        long batch = random.nextLong();
        int generation = claims.generation();
        TrustWindow.Proof proof = trust.before(epoch);
        isUnderWay = true;
        try {
            List<Attempt> attempts = ledger.claimWaiting(epoch, batch, due, limit);
            if (!attempts.isEmpty()) {
                trust.proven(proof);
            }
            claims.take(epoch, attempts, generation);
            return attempts.size();
        } catch (DatabaseUnavailableException e) {
            doubtful = new Doubtful(epoch, batch);
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

    /** How long until the next row becomes due, in milliseconds. */
    long sleepMillis(long nowMillis) {
        long next = Math.min(nextMillis, claims.limits().nextAwaitedMillis(nowMillis));
        if (claims.limits().isHandlerLacking()) {
            next = Math.min(next, heldMillis + LOOK_AT_HELD_MILLIS);
        }
        return next == Claim.NONE ? Long.MAX_VALUE : Math.max(0, next - nowMillis);
    }
}
