package io.twinbell.node.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExplanationSource.HeartbeatGap;
import io.twinbell.node.execution.store.VerificationSource.Opening;
import io.twinbell.node.explain.SlotExplainer.SlotExplanation;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.record.LedgerWait;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prepared ledger rows of the slot of 02:30, each with the cause and the decisive words of its explanation. */
class RowCausesTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final long FIRE = at("2026-06-10T00:30:00Z");
    private static final Execution.Outcome NO_OUTCOME = new Execution.Outcome(null, null, null, null, null);
    private static final Execution.Slots ONE_SLOT = new Execution.Slots(1, FIRE, OptionalLong.empty(), 1);

    private ExecutionState state = ExecutionState.SUCCEEDED;
    private Execution.Slots slots = ONE_SLOT;
    private String origin;
    private int attempt = 1;
    private int snoozes;
    private OptionalLong started = OptionalLong.of(FIRE + 4);
    private Execution.Outcome outcome = NO_OUTCOME;
    private String waitsFor;
    private OptionalLong callbackUntil = OptionalLong.empty();
    private String noMaster;
    private List<Pause> pauses = List.of();
    private List<Opening> openings = List.of();
    private OptionalLong ended = OptionalLong.empty();
    private SlotFacts.Evidence evidence = SlotFacts.Evidence.NONE;

    private static final List<SlotFacts.FullLimit> FULL =
            List.of(new SlotFacts.FullLimit("printer", "at most 10 start in PT1M"));

    private static long at(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    private SlotExplanation explain(String at) {
        long end = ended.orElse(started.orElse(FIRE) + 1200);
        Execution row = new Execution(
                slots,
                "shop",
                "close-day",
                state,
                origin,
                new Execution.LatestClaim(attempt, snoozes, 0, "a", OptionalLong.of(7), null, null),
                new Execution.Times(
                        OptionalLong.of(FIRE), started, OptionalLong.of(end), OptionalLong.of(FIRE + 600_000)),
                outcome,
                null);
        return SlotExplainer.explain(
                SlotQuestion.of(at, BERLIN),
                new SlotFacts(
                        null,
                        SlotFacts.Definition.NONE,
                        row,
                        waitsFor,
                        callbackUntil,
                        new SlotFacts.Situation(
                                at("2026-06-15T12:00:00Z"), pauses, noMaster, Map.of(), openings, FULL, false),
                        evidence));
    }

    private String expect(SlotCause cause, String words) {
        return expect(cause, "2026-06-10 02:30", words);
    }

    private String expect(SlotCause cause, String at, String words) {
        SlotExplanation explanation = explain(at);
        assertEquals(cause, explanation.cause(), explanation.sentence());
        assertTrue(explanation.sentence().contains(words), explanation.sentence());
        assertFalse(explanation.sentence().contains("null"), explanation.sentence());
        return explanation.sentence();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            SUCCEEDED | 1 | 4       | on node a at 2026-06-10 02:30:00.004 Europe/Berlin and SUCCEEDED after 1.2s.
            SUCCEEDED | 1 | 999     | SUCCEEDED after 1.2s.
            SUCCEEDED | 1 | 1000    | SUCCEEDED after 1.2s. It started 1s late.
            SUCCEEDED | 1 | 4265000 | It started 1h11m5s late.
            SUCCEEDED | 2 | 60004   | Attempt 2 ran on node a at 2026-06-10 02:31:00.004 Europe/Berlin and SUCCEEDED
            FAILED    | 3 | 90000   | Attempt 3 ran on node a at 2026-06-10 02:31:30 Europe/Berlin and FAILED
            TIMED_OUT | 1 | 4       | and TIMED_OUT after 1.2s
            """)
    void a_run_is_explained_by_its_attempt_its_times_and_its_outcome(
            ExecutionState ended, int attempts, long lateMillis, String words) {
        state = ended;
        attempt = attempts;
        started = OptionalLong.of(FIRE + lateMillis);
        String sentence = expect(SlotCause.RAN, words);
        assertEquals(lateMillis >= 1000 && attempts == 1, sentence.contains(" late."), sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            FAILED    | HTTP_503          | the receiver answered 503 | -                            | RAN        | FAILED after 1.2s (HTTP_503: the receiver answered 503).
            FAILED    | CONNECT_REFUSED   | -                         | -                            | RAN        | FAILED after 1.2s (CONNECT_REFUSED).
            FAILED    | HANDLER_EXCEPTION | no such file: a.csv       | -                            | RAN        | (HANDLER_EXCEPTION: no such file: a.csv)
            FAILED    | NO_STOCK          | shelf 7 is empty          | not tried again, because NO_STOCK is not retried | RAN | (NO_STOCK: shelf 7 is empty). Note: not tried again
            FAILED    | -                 | plain words               | -                            | RAN        | FAILED after 1.2s (plain words).
            TIMED_OUT | TIMEOUT           | no end after PT1M         | -                            | RAN        | TIMED_OUT after 1.2s (TIMEOUT: no end after PT1M).
            FAILED    | UNREADABLE_TASK   | /handler: is unknown      | -                            | TASK_ERROR | It is FAILED (UNREADABLE_TASK: /handler: is unknown).
            FAILED    | -                 | -                         | attempt 3 was left without an outcome by a (epoch 7); its attempts are used up | ORPHANED | It is FAILED: attempt 3 was left without an outcome by a (epoch 7); its attempts are used up.
            DROPPED   | -                 | -                         | attempt 1 was left without an outcome by a (epoch 7); dropped | ORPHANED | It is DROPPED: attempt 1 was left without an outcome by a (epoch 7)
            DROPPED   | -                 | -                         | released by hand: by ann: hangs; attempt 1 was left without an outcome by a (epoch 7); dropped | ORPHANED | released by hand: by ann: hangs
            """)
    void a_failure_is_explained_by_its_code_and_its_text(
            ExecutionState ended, String code, String error, String reason, SlotCause cause, String words) {
        state = ended;
        outcome = new Execution.Outcome(null, error, code, reason, null);
        expect(cause, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            CANCELLED | by ann: wrong figures                                              | CANCELLED          | It is CANCELLED: by ann: wrong figures.
            CANCELLED | -                                                                  | CANCELLED          | It is CANCELLED.
            CANCELLED | the backfill was cancelled                                         | CANCELLED          | the backfill was cancelled
            CANCELLED | its task was removed                                               | TASK_REMOVED       | It is CANCELLED: its task was removed.
            CANCELLED | cancelled: the slot of 2026-06-10T00:31:00.000Z takes its place    | OVERLAP            | the slot of 2026-06-10T00:31:00.000Z takes its place
            SKIPPED   | an earlier execution of this task was still running                | OVERLAP            | an earlier execution of this task was still running
            SKIPPED   | an earlier execution of this task was still running, and 3 waited already | QUEUE_FULL  | and 3 waited already
            SKIPPED   | paused                                                             | TASK_PAUSED        | It is SKIPPED: paused.
            SKIPPED   | paused by ann: wrong figures                                       | TASK_PAUSED        | paused by ann: wrong figures
            SKIPPED   | paused: 5 failures in a row                                        | TASK_PAUSED        | paused: 5 failures in a row
            SKIPPED   | firing was paused by bob: data centre moves                        | FIRING_PAUSED      | firing was paused by bob: data centre moves
            SKIPPED   | firing was paused by bob for app:shop: stocktaking                 | FIRING_PAUSED      | by bob for app:shop: stocktaking
            SKIPPED   | firing was paused by bob for tag:slow: stocktaking                 | FIRING_PAUSED      | by bob for tag:slow: stocktaking
            SKIPPED   | firing was paused by bob for handler:http: stocktaking             | FIRING_PAUSED      | by bob for handler:http: stocktaking
            SKIPPED   | skipped by acme.Holiday: a public holiday                          | INTERCEPTED        | skipped by acme.Holiday: a public holiday
            SKIPPED   | then of 4-1, but paused: wrong figures                             | CHAIN_REFUSED      | It is SKIPPED: then of 4-1, but paused: wrong figures.
            SKIPPED   | thenOnFailure of 4-1, the chain ends here, 100 executions after its first | CHAIN_REFUSED | the chain ends here
            SKIPPED   | somebody moved the next fire time past it                          | MOVED_BY_HAND      | somebody moved the next fire time past it
            SKIPPED   | the rules of its zone have changed: put off to the next fire time  | ZONE_RULES_CHANGED | put off to the next fire time
            DROPPED   | IN_DOUBT: it may have run on a primary that was lost together with its master; dropped | IN_DOUBT | may have run on a primary that was lost
            DROPPED   | IN_DOUBT: it may have run on a primary that was lost together with its master; a person decides whether to rerun it | IN_DOUBT | a person decides whether to rerun it
            DROPPED   | attempt 1 was left without an outcome by a (epoch 7); its task is gone | TASK_REMOVED   | its task is gone
            """)
    void a_row_that_did_not_run_is_explained_by_its_reason(
            ExecutionState ended, String reason, SlotCause cause, String words) {
        state = ended;
        outcome = new Execution.Outcome(null, null, null, reason, null);
        expect(cause, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            misfire: overdue by more than PT1M, and none of these slots runs        | MISSED       | none of these slots runs. Node a was the latest master (epoch 7). Node b became master at 2026-06-10 02:41:03
            misfire: overdue by more than PT1M, the newest slot runs                | MISSED       | the newest slot runs. Node a was the latest master
            misfire: overdue by more than PT1M, the 3 newest slots run              | MISSED       | the 3 newest slots run. Node a was the latest master
            misfire: overdue by more than PT1M, the oldest slot runs                | MISSED       | the oldest slot runs. Node a was the latest master
            expired: not started within PT10M of its fire time                      | EXPIRED      | within PT10M of its fire time. Node a was the latest master (epoch 7). Node b became master
            older than the ledger's retention                                       | TOO_OLD      | older than the ledger's retention.
            may have run before the database was restored; adopted by bob: restore  | RESTORED     | adopted by bob: restore.
            its task was removed before it was claimed                              | TASK_REMOVED | its task was removed before it was claimed.
            """)
    void a_missed_slot_is_explained_by_its_policy_and_the_outage(String reason, SlotCause cause, String words) {
        state = ExecutionState.MISSED;
        outcome = new Execution.Outcome(null, null, null, reason, null);
        ended = OptionalLong.of(at("2026-06-10T00:41:04Z"));
        openings = List.of(
                new Opening(7, "a", at("2026-06-01T00:00:00Z")), new Opening(8, "b", at("2026-06-10T00:41:03Z")));
        expect(cause, words);
    }

    private void missed(HeartbeatGap gap) {
        state = ExecutionState.MISSED;
        outcome = new Execution.Outcome(null, null, null, "misfire: overdue by more than PT1M", null);
        evidence = new SlotFacts.Evidence(1, true, null, gap);
        ended = OptionalLong.of(at("2026-06-10T00:41:04Z"));
    }

    @Test
    void a_missed_slot_says_since_when_the_outage_lasted() {
        missed(new HeartbeatGap(at("2026-06-10T00:22:03Z"), at("2026-06-10T00:41:03Z"), 7, 8));
        openings = List.of(
                new Opening(7, "a", at("2026-06-01T00:00:00Z")), new Opening(8, "b", at("2026-06-10T00:41:03Z")));
        expect(
                SlotCause.MISSED,
                "PT1M. No master sent a heartbeat from 2026-06-10 02:22:03 Europe/Berlin to 2026-06-10 02:41:03 Europe/Berlin."
                        + " Node a was the latest master (epoch 7). Node b became master at 2026-06-10 02:41:03 Europe/Berlin"
                        + " (epoch 8).");
    }

    @Test
    void an_outage_that_the_same_master_survived_is_named_even_if_another_took_over_much_later() {
        missed(new HeartbeatGap(at("2026-06-10T00:22:03Z"), at("2026-06-10T00:41:03Z"), 7, 7));
        openings = List.of(
                new Opening(7, "a", at("2026-06-01T00:00:00Z")), new Opening(8, "b", at("2026-06-12T00:00:00Z")));
        String sentence = expect(
                SlotCause.MISSED,
                "to 2026-06-10 02:41:03 Europe/Berlin. Node a was the master (epoch 7) before and after that.");
        assertFalse(sentence.contains("became master"), sentence);
    }

    @Test
    void a_slot_that_was_missed_without_an_outage_says_so() {
        missed(null);
        openings = List.of(new Opening(7, "a", at("2026-06-01T00:00:00Z")));
        expect(SlotCause.MISSED, "Node a was the master (epoch 7), and no outage is recorded for that time.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            paused by ann: wrong figures                         | ann          | TASK_PAUSED   | wrong figures. The pause began at 2026-06-09 18:00:00 Europe/Berlin.
            paused                                               | token deploy | TASK_PAUSED   | paused. The pause began at 2026-06-09 18:00:00 Europe/Berlin, by token deploy.
            firing was paused by bob for app:shop: stocktaking   | bob          | FIRING_PAUSED | stocktaking. The pause began at 2026-06-09 18:00:00 Europe/Berlin.
            """)
    void a_slot_that_a_pause_skipped_says_since_when_and_by_whom(
            String reason, String by, SlotCause cause, String words) {
        state = ExecutionState.SKIPPED;
        outcome = new Execution.Outcome(null, null, null, reason, null);
        evidence = new SlotFacts.Evidence(1, true, new SlotFacts.PauseBegin(at("2026-06-09T16:00:00Z"), by), null);
        expect(cause, words);
    }

    @Test
    void a_row_that_the_master_has_not_entered_yet_says_so() {
        state = ExecutionState.SKIPPED;
        outcome = new Execution.Outcome(null, null, null, "somebody moved the next fire time past it", null);
        evidence = new SlotFacts.Evidence(1, false, null, null);
        expect(SlotCause.MOVED_BY_HAND, "past it. The master has not entered this in the ledger yet.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            2    | The time asked about has 2 slots; this explains that of 2026-06-10 02:30:00 Europe/Berlin.
            1000 | The time asked about has 1000 or more slots; this explains that of 2026-06-10 02:30:00
            """)
    void a_question_about_several_slots_names_the_one_that_is_explained(int slotsInSpan, String words) {
        evidence = new SlotFacts.Evidence(slotsInSpan, true, null, null);
        expect(SlotCause.RAN, words);
        evidence = new SlotFacts.Evidence(1, true, null, null);
        String sentence = expect(SlotCause.RAN, "SUCCEEDED");
        assertFalse(sentence.contains("The time asked about"), sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            TRIGGERED  | SUCCEEDED | by ann: again                            | RAN           | It was triggered by hand. Attempt 1 ran on node a
            BACKFILLED | SUCCEEDED | backfilled: lost disk                    | RAN           | It was backfilled. Attempt 1 ran on node a
            CAUGHT_UP  | SUCCEEDED | caught up: paused by ann: wrong figures  | RAN           | A resume caught it up. Attempt 1 ran on node a
            CHAINED    | SUCCEEDED | then of 4-1                              | RAN           | It followed another execution. Attempt 1 ran on node a
            CHAINED    | SKIPPED   | then of 4-1, but paused                  | CHAIN_REFUSED | It was to follow another execution. It is SKIPPED
            TRIGGERED  | CANCELLED | by bob: not needed                       | CANCELLED     | It was triggered by hand. It is CANCELLED: by bob: not needed.
            BACKFILLED | PENDING   | backfilled                               | WAITS_FOR_RUN | It was backfilled. It is PENDING
            """)
    void a_run_beside_the_schedule_names_its_origin(
            String from, ExecutionState now, String reason, SlotCause cause, String words) {
        origin = from;
        state = now;
        outcome = new Execution.Outcome(null, null, null, reason, null);
        expect(cause, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            PENDING  | 1 | 0 | 0 | -              | -        | WAITS_FOR_RUN      | runs as soon as nothing else of its task does
            PENDING  | 1 | 0 | 0 | app:shop       | -        | WAITS_FOR_LIMIT    | room under the limit app:shop.
            PENDING  | 1 | 0 | 0 | tag:slow       | -        | WAITS_FOR_LIMIT    | room under the limit tag:slow.
            PENDING  | 1 | 0 | 0 | printer        | -        | WAITS_FOR_LIMIT    | room under the limit printer (at most 10 start in PT1M).
            PENDING  | 1 | 0 | 0 | LACKING:close  | -        | WAITS_FOR_HANDLER  | a master that knows the handler close.
            PENDING  | 1 | 0 | 0 | QUOTA          | -        | WAITS_FOR_LIMIT    | because its app has used its quotas.firesPerMinute.
            CLAIMED  | 1 | 0 | - | -              | -        | RUNNING            | is CLAIMED on node a and has not started.
            RUNNING  | 1 | 0 | 4 | -              | -        | RUNNING            | is RUNNING on node a since 2026-06-10 02:30:00.004
            RUNNING  | 2 | 0 | 4 | -              | -        | RUNNING            | Attempt 2 is RUNNING on node a
            RUNNING  | 1 | 0 | 4 | CALLBACK       | -        | WAITS_FOR_CALLBACK | It times out at 2026-06-15 15:00:00 Europe/Berlin without
            RETRYING | 1 | 0 | 4 | -              | HTTP_503 | WAITS_FOR_RETRY    | Attempt 1 failed (HTTP_503: busy). The next attempt is due at 2026-06-10 02:40:00
            RETRYING | 3 | 2 | 4 | -              | -        | WAITS_FOR_RETRY    | Attempt 3 asked to run again later. The next attempt is due at 2026-06-10 02:40:00
            RETRYING | 3 | 2 | 4 | -              | TIMEOUT  | WAITS_FOR_RETRY    | Attempt 3 failed (TIMEOUT: busy).
            """)
    void an_unfinished_row_is_explained_by_what_it_waits_for(
            ExecutionState now,
            int attempts,
            int asked,
            Long lateMillis,
            String waited,
            String code,
            SlotCause cause,
            String words) {
        state = now;
        attempt = attempts;
        snoozes = asked;
        started = lateMillis == null ? OptionalLong.empty() : OptionalLong.of(FIRE + lateMillis);
        outcome = new Execution.Outcome(null, code == null ? null : "busy", code, null, null);
        boolean isParked = "CALLBACK".equals(waited);
        callbackUntil = isParked ? OptionalLong.of(at("2026-06-15T13:00:00Z")) : OptionalLong.empty();
        boolean lacks = waited != null && waited.startsWith("LACKING:");
        waitsFor = isParked ? null : lacks ? LedgerWait.lackingHandler("close") : waited;
        waitsFor = "QUOTA".equals(waited) ? LedgerWait.quota("shop") : waitsFor;
        expect(cause, words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PENDING   | WAITS_FOR_RUN   | true
            RETRYING  | WAITS_FOR_RETRY | true
            CLAIMED   | RUNNING         | true
            RUNNING   | RUNNING         | true
            SUCCEEDED | RAN             | false
            """)
    void an_unfinished_row_says_that_no_node_is_master(ExecutionState now, SlotCause cause, boolean isSaid) {
        state = now;
        noMaster = "automatic takeover is on hold";
        String sentence = expect(cause, "");
        assertEquals(isSaid, sentence.endsWith(" No node is master: automatic takeover is on hold."), sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            PENDING   | -        | WAITS_FOR_RUN   | true
            RETRYING  | -        | WAITS_FOR_RETRY | true
            RUNNING   | -        | RUNNING         | false
            PENDING   | app:shop | WAITS_FOR_RUN   | false
            SUCCEEDED | -        | RAN             | false
            """)
    void a_waiting_row_says_that_all_firing_is_paused(ExecutionState now, String key, SlotCause cause, boolean isSaid) {
        state = now;
        pauses = List.of(new Pause(at("2026-06-15T10:00:00Z"), Long.MAX_VALUE, "moving", "bob", false, key));
        String sentence = expect(cause, "");
        assertEquals(
                isSaid,
                sentence.endsWith(" All firing is paused since 2026-06-15 12:00:00 Europe/Berlin by bob: moving."),
                sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            2026-06-10 02:30 | SKIPPED | paused by ann                              | TASK_PAUSED
            2026-06-10 03:30 | SKIPPED | firing was paused by bob: data centre moves | FIRING_PAUSED
            2026-06-10 04:30 | MISSED  | misfire: overdue by more than PT1M         | MISSED
            2026-06-10 04:30 | MISSED  | older than the ledger's retention          | TOO_OLD
            2026-06-10 03:30 | SKIPPED | somebody moved the next fire time past it; at least this many slots | MOVED_BY_HAND
            2026-06-10 03:30 | DROPPED | IN_DOUBT: it may have run on a primary that was lost together with its master; expired: not started within PT10M of its fire time | IN_DOUBT
            """)
    void each_slot_of_a_range_has_the_cause_of_its_row(
            String at, ExecutionState ended, String reason, SlotCause cause) {
        slots = new Execution.Slots(1, FIRE, OptionalLong.of(FIRE + 7_200_000), 3);
        state = ended;
        outcome = new Execution.Outcome(null, null, null, reason, null);
        expect(cause, at, "The row stands for 3 slots, from 2026-06-10 02:30:00 Europe/Berlin to 2026-06-10 04:30:00");
    }
}
