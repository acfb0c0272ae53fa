package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;

/** The last check before a handler starts: is this node's authority recent enough? If not, it is renewed first. */
final class Gate {
    private final Trust trust;
    private final EpochRegister register;
    private final Fence fence;

    enum Verdict {
        OPEN,
        /** The epoch was superseded: whoever has the next one settles the run. */
        SUPERSEDED,
        /** The database does not answer: nobody knows, so nothing starts. */
        UNKNOWN
    }

    Gate(Trust trust, EpochRegister register, Fence fence) {
        this.trust = trust;
        this.register = register;
        this.fence = fence;
    }

    void warmUp() {
        register.confirm(Trust.NOBODY);
    }

    Verdict check(Epoch epoch) {
        return trust.holds(epoch) ? Verdict.OPEN : renew(epoch);
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
