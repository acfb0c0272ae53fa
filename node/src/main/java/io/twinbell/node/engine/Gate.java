package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.ClaimCheck;

/** The last check before a handler starts: is this node's authority recent enough? If not, it is renewed first. */
final class Gate {
    private final Trust trust;
    private final EpochRegister register;
    private final Fence fence;
    private final ClaimCheck claims;

    enum Verdict {
        OPEN,
        /** The epoch was superseded: whoever has the next one settles the run. */
        SUPERSEDED,
        /** The database was promoted and lacks the claim: the slot is free, and is claimed again. */
        VANISHED,
        /** The database does not answer: nobody knows, so nothing starts. */
        UNKNOWN
    }

    Gate(Trust trust, EpochRegister register, Fence fence, ClaimCheck claims) {
        this.trust = trust;
        this.register = register;
        this.fence = fence;
        this.claims = claims;
    }

    void warmUp() {
        register.confirm(Trust.NOBODY);
    }

    Verdict check(Run run) {
        if (run.generation() != claims.generation()) {
            return lookAgain(run);
        }
        return trust.holds(run.epoch()) ? Verdict.OPEN : renew(run.epoch());
    }

    /** Authority alone says nothing about the claim: a promoted server has the epoch, too. */
    private Verdict lookAgain(Run run) {
        try {
            int generation = claims.generation();
            Trust.Proof proof = trust.before(run.epoch());
            switch (claims.look(run.epoch(), run.attempt())) {
                case SUPERSEDED -> {
                    fence.superseded(run.epoch(), 1);
                    return Verdict.SUPERSEDED;
                }
                case VANISHED -> {
                    return Verdict.VANISHED;
                }
                case CLAIMED -> run.foundUnder(generation);
            }
            trust.proven(proof);
            return trust.holds(run.epoch()) ? Verdict.OPEN : Verdict.UNKNOWN;
        } catch (DatabaseUnavailableException e) {
            return Verdict.UNKNOWN;
        }
    }

    /** One worker asks; the others wait for its answer, since it serves them all. */
    private synchronized Verdict renew(Epoch epoch) {
        if (trust.holds(epoch)) {
            return Verdict.OPEN;
        }
        try {
            Trust.Proof proof = trust.before(epoch);
            if (!register.confirm(epoch)) {
                fence.superseded(epoch, 1);
                return Verdict.SUPERSEDED;
            }
            trust.proven(proof);
            return trust.holds(epoch) ? Verdict.OPEN : Verdict.UNKNOWN;
        } catch (DatabaseUnavailableException e) {
            return Verdict.UNKNOWN;
        }
    }
}
