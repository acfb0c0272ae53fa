package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A row of the ledger says which definition its task had when it was claimed, by whichever statement. */
class ClaimedDefinitionTest extends PackedClaimFixture {
    private static final String ROWS = "select d.content ->> 'n', e.definition_id = t.definition_id"
            + " from twinbell.execution e join twinbell.task t on t.id = e.task_id"
            + " left join twinbell.definition d on d.id = e.definition_id order by e.task_id";

    private final long task = tasks.insert("recurring", "{\"n\":1}", now);

    /** Edits all tasks. */
    private void edit() {
        tasks.execute("update twinbell.task set updated_at = clock_timestamp(), definition_id ="
                + " (twinbell.define(array[twinbell.definition_doc(null, '{}', 'log', null, '{\"n\":2}')]))[1]");
    }

    @Test
    void ordinary_claims_and_claims_of_many_slots_name_it() {
        long other = tasks.insert("late", "{\"n\":3}", now - 60_000);
        LedgerEntry missed = new LedgerEntry(ExecutionState.MISSED, now - 1000, 60, now - 59_000, "too late");
        ledger.claim(
                epoch,
                1,
                List.of(new DecidedSlot(
                        task, 1, now, now + 5000, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now))));
        ledger.claim(
                epoch, 2, List.of(new DecidedSlot(other, 1, now - 60_000, now, false, DecidedSlot.UNLIMITED, missed)));
        edit();
        tasks.assertRows(ROWS, "1|f", "3|f");
    }

    @Test
    void the_next_attempt_has_the_definition_of_its_own_time() {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, definition_id)"
                + " select id, twinbell.instant(" + now + "), app, name, 'RETRYING', definition_id"
                + " from twinbell.task where id = " + task);
        edit();
        tasks.assertRows(ROWS, "1|f");
        ledger.claimWaiting(epoch, 3, new Ledger.DueBounds(now + 1000, now + 1000), 10);
        tasks.assertRows(ROWS, "2|t");
    }

    @Test
    void a_packed_claim_has_it_with_the_outcome_or_when_it_is_spread() {
        claimAll();
        recorder.record(epoch, successes().subList(0, 2));
        tasks.execute("select twinbell.spread_batches()");
        tasks.assertRows(ROWS, Stream.generate(() -> "|t").limit(MANY).toArray(String[]::new));
    }

    @Test
    void a_packed_claim_of_a_task_that_was_edited_since_has_none() {
        claimAll();
        edit();
        List<Completion> outcomes = successes();
        recorder.record(epoch, outcomes.subList(0, 2));
        tasks.execute("select twinbell.spread_batches()");
        tasks.assertRows(ROWS, Stream.generate(() -> "|").limit(MANY).toArray(String[]::new));
    }
}
