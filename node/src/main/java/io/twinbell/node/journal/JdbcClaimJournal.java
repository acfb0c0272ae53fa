package io.twinbell.node.journal;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** Checks a claim in the ledger and in the open claim batches. */
public final class JdbcClaimJournal implements ClaimJournal {
    private static final String LOOK = "with " + EpochGuard.OF_THE_OWNER + """
            select (select count(*) from authority),
                   exists (select 1 from twinbell.execution e
                     where twinbell.same(e.task_id, w.task_id) and twinbell.same(e.fire_time, w.fire_time)
                       and e.epoch = w.epoch and e.attempt = w.attempt and e.state in ('CLAIMED', 'RUNNING'))
                   or w.attempt = 1 and not exists (select 1 from twinbell.execution e
                     where twinbell.same(e.task_id, w.task_id) and twinbell.same(e.fire_time, w.fire_time))
                     and twinbell.is_in_batch(w.task_id, w.fire_time)
            from (select ?::bigint as task_id, twinbell.instant(?) as fire_time, ?::bigint as epoch, ?::int as attempt) w""";

    private final DedicatedConnection connection;
    private final ServerHistory servers;
    private final LedgerJournal journal;

    /**
     * @param journal keeps confirmed claims and outcomes, and enters them again in a promoted server that lacks
     *     them
     */
    public JdbcClaimJournal(DedicatedConnection connection, ServerHistory servers, LedgerJournal journal) {
        this.connection = connection;
        this.servers = servers;
        this.journal = journal;
    }

    @Override
    public void claimed(Epoch epoch, Attempt attempt, long nowMillis) {
        if (journal.isKept()) {
            journal.add(new LedgerJournal.JournalEvent.ClaimEvent(epoch, attempt, nowMillis));
        }
    }

    @Override
    public void ended(Completion completion) {
        if (journal.isKept()) {
            journal.add(new LedgerJournal.JournalEvent.OutcomeEvent(completion));
        }
    }

    @Override
    public void givenBack(Epoch epoch, Slot slot, int attempt) {
        if (journal.isKept()) {
            journal.add(new LedgerJournal.JournalEvent.ReturnEvent(epoch, slot, attempt));
        }
    }

    @Override
    public int generation() {
        return servers.generation();
    }

    @Override
    public Answer find(Epoch epoch, Attempt attempt) {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(LOOK)) {
                int next = EpochGuard.bind(statement, 1, epoch);
                statement.setLong(next, attempt.slot().taskId());
                statement.setLong(next + 1, attempt.slot().fireTimeMillis());
                statement.setLong(next + 2, epoch.number());
                statement.setInt(next + 3, attempt.attempt());
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    if (row.getLong(1) == 0) {
                        return Answer.SUPERSEDED;
                    }
                    return row.getBoolean(2) ? Answer.CLAIMED : Answer.VANISHED;
                }
            }
        });
    }
}
