package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.journal.ClaimJournal;

/**
 * Checks, before a handler starts, whether this node's authority was confirmed recently enough, and renews it if not.
 */
public final class StartCheck {
    private final TrustWindow trust;
    private final EpochRegister register;
    private final SupersededListener supersededListener;
    private final ClaimJournal claims;
    private volatile Epoch handedOver;

    enum Verdict {
        OPEN,
        /** The epoch was superseded, and its successor settles the run. */
        SUPERSEDED,
        /** The database was promoted and lacks the claim: the slot is free, and is claimed again. */
        VANISHED,
        /** The database does not answer, or the epoch is being handed over, so nothing starts. */
        UNKNOWN
    }

    public StartCheck(
            TrustWindow trust, EpochRegister register, SupersededListener supersededListener, ClaimJournal claims) {
        this.trust = trust;
        this.register = register;
        this.supersededListener = supersededListener;
        this.claims = claims;
    }

    public void warmUp() {
        register.confirm(Epoch.NOBODY);
    }

    /**
     * Notes that the epoch is being handed over, so nothing renews its authority. A run that the last proof does not
     * cover waits until it is handed back.
     */
    public void handOver(Epoch epoch) {
        handedOver = epoch;
    }

    boolean isHandedOver(Epoch epoch) {
        return epoch.equals(handedOver);
    }

    Verdict check(Run run) {
        if (isHandedOver(run.epoch())) {
            boolean isCovered = run.generation() == claims.generation() && trust.holds(run.epoch());
            return isCovered ? Verdict.OPEN : Verdict.UNKNOWN;
        }
        if (run.generation() != claims.generation()) {
            return confirmClaim(run);
        }
        return trust.holds(run.epoch()) ? Verdict.OPEN : renew(run.epoch());
    }

    /** Authority alone does not prove the claim: a promoted server has the epoch too, but may lack the claim. */
    private Verdict confirmClaim(Run run) {
        try {
            int generation = claims.generation();
            TrustWindow.Proof proof = trust.before(run.epoch());
            switch (claims.find(run.epoch(), run.attempt())) {
                case SUPERSEDED -> {
                    supersededListener.superseded(run.epoch(), 1);
                    return Verdict.SUPERSEDED;
                }
                case VANISHED -> {
                    return Verdict.VANISHED;
                }
                case CLAIMED -> run.confirmUnder(generation);
            }
            trust.proven(proof);
            return trust.holds(run.epoch()) ? Verdict.OPEN : Verdict.UNKNOWN;
        } catch (DatabaseUnavailableException e) {
            return Verdict.UNKNOWN;
        }
    }

    /** One worker queries; the others wait for its answer, which serves them all. */
    private synchronized Verdict renew(Epoch epoch) {
        if (trust.holds(epoch)) {
            return Verdict.OPEN;
        }
        try {
            TrustWindow.Proof proof = trust.before(epoch);
            if (!register.confirm(epoch)) {
                supersededListener.superseded(epoch, 1);
                return Verdict.SUPERSEDED;
            }
            trust.proven(proof);
            return trust.holds(epoch) ? Verdict.OPEN : Verdict.UNKNOWN;
        } catch (DatabaseUnavailableException e) {
            return Verdict.UNKNOWN;
        }
    }
}
