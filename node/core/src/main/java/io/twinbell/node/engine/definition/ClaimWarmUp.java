package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.DueTasks.HeapPage;
import io.twinbell.persistence.ledger.claim.Ledger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * Warms up claiming: claims the tasks that are due soonest, under an epoch that no node has. It changes nothing, and a
 * promotion finds connections open, plans made, definitions read and code compiled. Claimer's thread, or while there is
 * none.
 */
public final class ClaimWarmUp {
    /** An attempt that no ledger has. */
    public static final Attempt NOTHING =
            new Attempt(new Slot(0, 0), "", "", 1, Epoch.NOBODY.number(), "nobody", List.of());

    /**
     * The ledger has separate statements for many one-shots, for plain claims, and for all others; a promotion may need
     * any of them.
     */
    private static final DecidedSlot PLAIN =
            new DecidedSlot(0, 1, 0, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, LedgerEntry.claimed(0));

    private static final DecidedSlot LIMITED =
            new DecidedSlot(0, 1, 0, DecidedSlot.NONE, true, 1, LedgerEntry.claimed(0));

    private final Ledger ledger;
    private final HeapTableSync table;
    private final Supplier<SlotDecision.DecisionContext> decisionContext;
    private final CallPacer pace = new CallPacer();

    /**
     * Repeats the statements ten times at first, so that server and driver settle on their plans, and runs them once
     * per call after that.
     */
    public static final class CallPacer {
        private static final int THOROUGHLY = 10;

        private boolean isDone;

        public void run(Runnable statements) {
            for (int time = isDone ? THOROUGHLY : 1; time <= THOROUGHLY; time++) {
                statements.run();
            }
            isDone = true;
        }
    }

    public ClaimWarmUp(Ledger ledger, HeapTableSync table, Supplier<SlotDecision.DecisionContext> decisionContext) {
        this.ledger = ledger;
        this.table = table;
        this.decisionContext = decisionContext;
    }

    public void claim() {
        List<DecidedSlot> claims = decide(table.warmUp());
        pace.run(() -> {
            ledger.claim(Epoch.NOBODY, 0, claims);
            ledger.claim(Epoch.NOBODY, 0, Collections.nCopies(PackedSlots.LEAST, PLAIN));
            ledger.claim(Epoch.NOBODY, 0, List.of(PLAIN));
            ledger.claim(Epoch.NOBODY, 0, List.of(LIMITED));
        });
    }

    private List<DecidedSlot> decide(HeapPage soonest) {
        SlotDecision.DecisionContext now = decisionContext.get();
        List<DecidedSlot> claims = new ArrayList<>();
        for (int i = 0; i < soonest.size(); i++) {
            Definitions.KnownDefinition known = table.known(soonest.taskIds()[i]);
            if (known != null && known.definition() != null) {
                claims.add(SlotDecision.decide(known.due(soonest.taskIds()[i], soonest.fireMillis()[i], 0), now));
            }
        }
        return claims;
    }
}
