package io.twinbell.node.engine;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import java.util.ArrayList;
import java.util.List;

/** The claim check of a database that a test promotes. */
public class PromotedClaims implements ClaimJournal {
    private final List<Long> looked = new ArrayList<>();
    private volatile int generation;
    private volatile Answer answer = Answer.CLAIMED;

    public void promote(Answer toLooks) {
        generation++;
        answer = toLooks;
    }

    /** The tasks of the claims that were looked up. */
    public synchronized List<Long> looked() {
        return List.copyOf(looked);
    }

    @Override
    public int generation() {
        return generation;
    }

    @Override
    public synchronized Answer find(Epoch epoch, Attempt attempt) {
        looked.add(attempt.slot().taskId());
        return answer;
    }
}
