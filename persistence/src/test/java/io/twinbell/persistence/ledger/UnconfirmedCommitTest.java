package io.twinbell.persistence.ledger;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Claims while the synchronous replica of the primary is away. */
class UnconfirmedCommitTest {
    private static final int PATIENCE_SECONDS = 1;
    private static final long BATCH = 77;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings node = TestSettings.of(database, "a");
    private final DedicatedConnection claims = new DedicatedConnection(node, "claim", PATIENCE_SECONDS);
    private final DedicatedConnection settling = new DedicatedConnection(node, "settling", PATIENCE_SECONDS);
    private final Ledger ledger = new JdbcLedger(claims, PackedSlots.none());
    private final RecoveryStore recovery = new JdbcRecoveryStore(settling, new HandTicker());
    private final Epoch epoch = TestSettings.openEpoch(new JdbcEpochRegister(node, settling), node, 0);
    private final long now = tasks.number("select twinbell.now_millis()");
    private final List<DecidedSlot> wanted = List.of(new DecidedSlot(
            tasks.insert("t", "{}", now), 1, now, now + 5000, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now)));

    @AfterEach
    void attachTheReplica() throws Exception {
        claims.close();
        settling.close();
        waitForReplica("''");
    }

    private void waitForReplica(String names) throws Exception {
        TestPostgres.execute(database, "alter system set synchronous_standby_names = " + names);
        TestPostgres.execute(database, "select pg_reload_conf()");
        await().until(() -> tasks.query("show synchronous_standby_names").equals(List.of(names.replace("'", ""))));
        if (!names.equals("''")) {
            await("the server's checkpointer reads the setting after this session")
                    .until(this::aCommitWaits);
            tasks.execute("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
            await().until(() -> waitingCommits() == 0);
        }
    }

    private boolean aCommitWaits() {
        CompletableFuture<Void> commit = CompletableFuture.runAsync(
                () -> tasks.execute("set synchronous_commit = on; select pg_logical_emit_message(true, 'test', '')"));
        await().until(() -> commit.isDone() || waitingCommits() == 1);
        return !commit.isDone();
    }

    @Test
    void a_claim_without_an_answer_is_believed_when_the_replica_has_it() throws Exception {
        waitForReplica("'a_replica_that_is_gone'");
        assertThrows(DatabaseUnavailableException.class, () -> ledger.claim(epoch, BATCH, wanted));
        for (int tries = 0; tries < 2; tries++) {
            assertThrows(DatabaseUnavailableException.class, () -> ledger.enteredInBatch(epoch, BATCH, wanted));
            assertEquals(1, tasks.number("select count(*) from twinbell.execution"), "it is there, on the primary");
            assertThrows(DatabaseUnavailableException.class, () -> ledger.claimedInBatch(epoch, BATCH));
        }
        assertEquals(1, waitingCommits(), "those of earlier tries are ended");

        waitForReplica("''");
        assertEquals(Set.of(wanted.get(0).taskId()), ledger.enteredInBatch(epoch, BATCH, wanted));
        assertEquals(1, ledger.claimedInBatch(epoch, BATCH).size());
    }

    @Test
    void a_claim_whose_wait_for_the_replica_was_cancelled_has_no_answer() throws Exception {
        waitForReplica("'a_replica_that_is_gone'");
        CompletableFuture<ClaimOutcome> claim = CompletableFuture.supplyAsync(() -> ledger.claim(epoch, BATCH, wanted));
        await().until(() -> waitingCommits() == 1);
        tasks.execute("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");

        CompletionException refused = assertThrows(CompletionException.class, claim::join);
        assertEquals(DatabaseUnavailableException.class, refused.getCause().getClass());
    }

    @Test
    void an_ended_claim_found_again_is_believed_once_the_replica_has_it() throws Exception {
        ledger.claim(epoch, BATCH, wanted);
        assertEquals(1, recovery.own(epoch, -1000, 10).size());
        waitForReplica("'a_replica_that_is_gone'");
        assertThrows(DatabaseUnavailableException.class, () -> recovery.own(epoch, -1000, 10));
    }

    private long waitingCommits() {
        return tasks.number("select count(*) from pg_stat_activity where wait_event = 'SyncRep'");
    }
}
