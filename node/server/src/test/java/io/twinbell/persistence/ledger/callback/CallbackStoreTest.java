package io.twinbell.persistence.ledger.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.execution.store.Callbacks;
import io.twinbell.node.execution.store.UnfinishedExecutions;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackStore.AdoptedAttempt;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackAnswer;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackRequest;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.Settlement;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Parked attempts in a real database: who may answer, and which answer counts. */
class CallbackStoreTest {
    private static final String TOKEN = "ab".repeat(32);
    private static final String OTHER_TOKEN = "cd".repeat(32);
    private static final Duration WEEK = Duration.ofDays(7);

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);

    private final EpochRegister register = new JdbcEpochRegister(settings, connection);
    private final CallbackStore parked = new JdbcCallbackStore(connection, PackedSlots.none());
    private final RecoveryStore recovery = new JdbcRecoveryStore(connection, new HandTicker());
    private final Callbacks callbacks = new Callbacks(database);
    private final Epoch epoch = open(0);
    private final long now = tasks.number("select twinbell.now_millis()");
    private final long task = tasks.insert("long", "{}", 0);
    private final Slot slot = new Slot(task, now);

    CallbackStoreTest() {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, claimed_at)"
                + " values (" + task + ", twinbell.instant(" + now + "), 'test', 'long', 'CLAIMED', " + epoch.number()
                + ", 'a', clock_timestamp())");
    }

    private Epoch open(long expected) {
        return TestSettings.openEpoch(register, settings, expected);
    }

    private Optional<Map<Slot, Optional<String>>> park(Epoch under, String token, long timeoutMillis) {
        return parked.park(under, List.of(new CallbackRequest(slot, 1, now * 1000, token, timeoutMillis)));
    }

    private void parkFor(Duration timeout) {
        assertEquals(Optional.of(Map.of(slot, Optional.empty())), park(epoch, TOKEN, timeout.toMillis()));
    }

    private Callbacks.Verdict complete(String token, ExecutionState state) {
        return callbacks.complete(slot, token, new CallbackAnswer.Outcome(state, "out", null, null), null);
    }

    private List<ExecutionState> answers() {
        return parked.answers(10).stream()
                .map(answer -> answer.outcome().state())
                .toList();
    }

    private String row(String column) {
        return tasks.row("select " + column + " from twinbell.execution");
    }

    private void end(String state) {
        tasks.execute("update twinbell.execution set state = '" + state + "', ended_at = clock_timestamp()");
    }

    @Test
    void the_first_answer_of_the_tokens_holder_counts_and_the_second_becomes_a_note() {
        parkFor(Duration.ofHours(1));
        assertEquals("RUNNING", row("state"));
        assertEquals(Callbacks.Verdict.UNKNOWN, complete(OTHER_TOKEN, ExecutionState.FAILED));
        assertEquals(Callbacks.Verdict.ACCEPTED, complete(TOKEN, ExecutionState.SUCCEEDED));
        assertEquals(Callbacks.Verdict.OVER, complete(TOKEN, ExecutionState.FAILED));
        assertEquals(List.of(ExecutionState.SUCCEEDED), answers());
        assertTrue(row("note").startsWith("attempt 1 was over when its receiver answered: FAILED at "), row("note"));
    }

    @Test
    void an_answered_attempt_is_closed_when_its_execution_has_ended_and_still_takes_notes() {
        parkFor(Duration.ofHours(1));
        complete(TOKEN, ExecutionState.SUCCEEDED);
        parked.close(false, WEEK);
        assertEquals(List.of(ExecutionState.SUCCEEDED), answers());
        end("SUCCEEDED");
        parked.close(false, WEEK);
        assertEquals(List.of(), answers());
        assertEquals(Set.of(), parked.open(List.of(slot)));
        assertEquals(Callbacks.Verdict.OVER, complete(TOKEN, ExecutionState.SUCCEEDED));
        parked.close(true, Duration.ZERO);
        assertEquals(Callbacks.Verdict.UNKNOWN, complete(TOKEN, ExecutionState.SUCCEEDED));
    }

    @Test
    void an_attempt_of_another_epoch_is_not_parked() {
        Epoch next = open(epoch.number());
        assertEquals(Optional.empty(), park(epoch, TOKEN, 1000));
        assertEquals(Optional.of(Map.of()), park(next, TOKEN, 1000));
        assertEquals(0, tasks.number("select count(*) from twinbell.parked"));
    }

    @Test
    void parking_again_with_the_same_token_keeps_an_answer_and_with_another_forgets_it() {
        parkFor(Duration.ofHours(1));
        complete(TOKEN, ExecutionState.SUCCEEDED);
        parkFor(Duration.ofHours(1));
        assertEquals(List.of(ExecutionState.SUCCEEDED), answers());
        park(epoch, OTHER_TOKEN, 1000);
        assertEquals(List.of(), answers());
        assertEquals(Callbacks.Verdict.UNKNOWN, complete(TOKEN, ExecutionState.SUCCEEDED));
    }

    @Test
    void the_time_of_an_attempt_ends_unless_a_heartbeat_puts_it_off() {
        parkFor(Duration.ofHours(1));
        assertEquals(0, parked.expire(epoch, 10));
        tasks.execute("update twinbell.parked set expires_at = clock_timestamp() + interval '1 minute'");
        Callbacks.Beat beat = callbacks.heartbeat(
                slot, TOKEN, new Callbacks.Heartbeat(OptionalDouble.of(0.5), "half", "{\"page\":5}"));
        assertEquals(Callbacks.Verdict.ACCEPTED, beat.verdict());
        assertTrue(beat.expiresMillis() >= now + Duration.ofHours(1).toMillis(), beat.toString());
        assertEquals("0.5 half {\"page\":5}", row("concat_ws(' ', progress, progress_message, checkpoint)"));
        tasks.execute("update twinbell.parked set expires_at = clock_timestamp()");
        assertEquals(Callbacks.Verdict.OVER, complete(TOKEN, ExecutionState.SUCCEEDED));
        assertEquals(
                Callbacks.Verdict.OVER,
                callbacks
                        .heartbeat(slot, TOKEN, new Callbacks.Heartbeat(OptionalDouble.empty(), null, null))
                        .verdict());
        assertEquals(1, parked.expire(epoch, 10));
        assertEquals(List.of(ExecutionState.TIMED_OUT), answers());
        assertEquals(0, parked.expire(epoch, 10));
    }

    @Test
    void a_heartbeat_extends_to_30_days_after_the_start_at_most() {
        parkFor(Duration.ofDays(20));
        tasks.execute("update twinbell.parked set parked_at = clock_timestamp() - interval '19 days'");
        Callbacks.Beat beat =
                callbacks.heartbeat(slot, TOKEN, new Callbacks.Heartbeat(OptionalDouble.empty(), null, null));
        assertTrue(beat.expiresMillis() < now + Duration.ofDays(21).toMillis(), beat.toString());
    }

    @Test
    void the_masters_own_answer_counts_unless_an_answer_came_before() {
        parkFor(Duration.ofHours(1));
        List<CallbackStore.OwnAnswer> cancelled = List.of(new CallbackStore.OwnAnswer(
                slot, 1, new CallbackAnswer.Outcome(ExecutionState.CANCELLED, null, "by hand", null)));
        complete(TOKEN, ExecutionState.SUCCEEDED);
        assertEquals(Set.of(slot), parked.answer(epoch, cancelled));
        assertEquals(List.of(ExecutionState.SUCCEEDED), answers());
        park(epoch, OTHER_TOKEN, 1000);
        assertEquals(Set.of(), parked.answer(epoch, cancelled));
        assertEquals(Callbacks.Verdict.OVER, complete(OTHER_TOKEN, ExecutionState.SUCCEEDED));
        assertEquals(List.of(ExecutionState.CANCELLED), answers());
    }

    @Test
    void an_accepted_attempt_is_adopted_by_the_next_epoch_and_not_settled() {
        parkFor(Duration.ofHours(1));
        parked.recordAccepted(epoch, Map.of(slot, 1));
        Epoch next = open(epoch.number());
        assertEquals(List.of(), recovery.orphans(next, 10));
        assertEquals(List.of(), settle(next));
        assertEquals(Set.of(task), parked.tasksToAdopt(next));
        assertEquals(List.of(), parked.adopt(epoch, 10));
        List<AdoptedAttempt> adopted = parked.adopt(next, 10);
        assertEquals(1, adopted.size());
        assertEquals(next.number(), adopted.get(0).attempt().epoch());
        assertEquals("{}", adopted.get(0).attempt().definition());
        assertEquals(now * 1000, adopted.get(0).startedMicros());
        assertEquals(Set.of(), parked.tasksToAdopt(next));
        assertEquals(List.of(), parked.adopt(next, 10));
        assertEquals(Callbacks.Verdict.ACCEPTED, complete(TOKEN, ExecutionState.SUCCEEDED));
    }

    private List<Settlement> settle(Epoch under) {
        Attempt orphan = new Attempt(slot, "test", "long", 1, epoch.number(), "a", List.of());
        return recovery.settle(
                under,
                List.of(new Settlement(orphan, 0, ExecutionState.DROPPED, "test", Completion.NOT_FOLLOWED)),
                now,
                0);
    }

    @Test
    void an_attempt_that_may_not_have_reached_its_receiver_is_an_orphan_until_it_is_answered() {
        parkFor(Duration.ofHours(1));
        Epoch next = open(epoch.number());
        assertEquals(1, recovery.orphans(next, 10).size());
        assertEquals(Set.of(), parked.tasksToAdopt(next));
        complete(TOKEN, ExecutionState.SUCCEEDED);
        assertEquals(List.of(), recovery.orphans(next, 10));
        assertEquals(List.of(), settle(next));
        assertEquals(1, parked.adopt(next, 10).size());
    }

    @Test
    void an_answer_after_the_orphan_was_settled_becomes_a_note() {
        parkFor(Duration.ofHours(1));
        Epoch next = open(epoch.number());
        assertEquals(1, settle(next).size());
        assertEquals(Callbacks.Verdict.OVER, complete(TOKEN, ExecutionState.SUCCEEDED));
        assertEquals("DROPPED", row("state"));
        assertTrue(row("note").contains("SUCCEEDED"), row("note"));
        parked.close(true, WEEK);
        assertEquals(Set.of(), parked.open(List.of(slot)));
    }

    @Test
    void a_released_attempt_of_the_own_epoch_is_settled() {
        parkFor(Duration.ofHours(1));
        parked.recordAccepted(epoch, Map.of(slot, 1));
        assertEquals(1, settle(epoch).size());
    }

    @Test
    void an_accepted_attempt_is_not_stuck() {
        parkFor(Duration.ofHours(1));
        tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 hour'");
        UnfinishedExecutions unfinished = new UnfinishedExecutions(connection);
        assertEquals(1, unfinished.readPage(10).claimed().size());
        parked.recordAccepted(epoch, Map.of(slot, 1));
        assertEquals(0, unfinished.readPage(10).claimed().size());
    }

    @Test
    void a_checkpoint_of_an_answer_is_handed_to_the_next_attempt() {
        parkFor(Duration.ofHours(1));
        callbacks.complete(
                slot, TOKEN, new CallbackAnswer.Outcome(ExecutionState.FAILED, null, "no", "HTTP_503"), "{\"at\":1}");
        tasks.execute("update twinbell.execution set attempt = 2, state = 'CLAIMED'");
        assertEquals(
                Optional.of(Map.of(slot, Optional.of("{\"at\":1}"))),
                parked.park(epoch, List.of(new CallbackRequest(slot, 2, now * 1000, OTHER_TOKEN, 1000))));
    }

    /** Both answer at a time, again and again: exactly one is accepted. */
    @Test
    void of_two_answers_at_a_time_one_is_accepted() {
        for (int round = 0; round < 20; round++) {
            park(epoch, (round % 2 == 0 ? TOKEN : OTHER_TOKEN), 1_000_000);
            String token = round % 2 == 0 ? TOKEN : OTHER_TOKEN;
            List<Callbacks.Verdict> verdicts = Stream.of(ExecutionState.SUCCEEDED, ExecutionState.FAILED)
                    .parallel()
                    .map(state -> complete(token, state))
                    .toList();
            assertEquals(
                    1,
                    verdicts.stream()
                            .filter(verdict -> verdict == Callbacks.Verdict.ACCEPTED)
                            .count());
        }
    }
}
