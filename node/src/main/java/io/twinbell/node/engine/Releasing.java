package io.twinbell.node.engine;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Recovery;
import io.twinbell.persistence.ledger.ReleaseRequest;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets go of executions that somebody wants released: what this process holds of them is given up first. */
final class Releasing {
    private static final Logger LOG = LoggerFactory.getLogger(Releasing.class);

    private final Recovery recovery;
    private final InFlight inFlight;
    private final Performer performer;

    Releasing(Recovery recovery, InFlight inFlight, Performer performer) {
        this.recovery = recovery;
        this.inFlight = inFlight;
        this.performer = performer;
    }

    /** The attempts that nobody holds any more, to be settled like orphans. */
    List<Attempt> step(Epoch epoch) {
        List<Attempt> released = new ArrayList<>();
        for (ReleaseRequest request : recovery.takeReleaseRequests(epoch, Settling.BATCH)) {
            Attempt attempt = request.attempt();
            Run run = inFlight.find(attempt.slot());
            if (run == null || performer.giveUp(run)) {
                LOG.info("released {}: {}", attempt.slot().idempotencyKey(), request.reason());
                released.add(attempt);
            }
        }
        return released;
    }
}
