package io.twinbell.persistence.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.callback.CallbackStore;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackAnswer;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackRequest;
import io.twinbell.persistence.ledger.callback.JdbcCallbackStore;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.JdbcDueTasks;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.CancelRequest;
import io.twinbell.persistence.ledger.recovery.Settlement;
import io.twinbell.persistence.ledger.recovery.StalledTask;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Statements that are planned once find their rows by key, even if the plan was made on tables that vacuum had found
 * empty. For such tables the planner assumes one row, so all access paths seem equally good.
 */
class QueryPlanTest {
    /** The driver prepares a statement when it is executed this often. */
    private static final int UNTIL_PREPARED = 6;

    /** The number of statements that are used below, each of them prepared. */
    private static final int STATEMENTS = 45;

    /** A search by the fire time alone would read all rows that are due at one instant. */
    private static final Pattern KEY = Pattern.compile("Index Cond: .*\\b(task_id|id) = ");

    private static final Pattern SCAN =
            Pattern.compile("Index (?:Only )?Scan(?: Backward)? using (\\S+) on (task|task_state|execution_\\w+)\\b");

    /** Parts of the statements that search for all rows that are orphans, or wait, or wait for a limit. */
    private static final List<String> SEARCHES = List.of(
            "where state in ('CLAIMED', 'RUNNING') and task_id >= $1 and task_id <= $2 offset 0)",
            "and e.epoch = $1 and e.batch = $2",
            "e.held_by = $3",
            "found as (select p.task_id, p.fire_time from twinbell.execution p where p.state",
            "cross join lateral (select p.task_id, p.fire_time from twinbell.execution p where p.app = a.app",
            "with looked as materialized",
            "with recursive waiting");

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings a = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(a, "test", 5);

    private final PackedSlots batches = new PackedSlots(1);
    private final Ledger ledger = new JdbcLedger(connection, batches);
    private final Recorder recorder = new JdbcRecorder(connection, batches);
    private final RecoveryStore recovery = new JdbcRecoveryStore(connection, new HandTicker());
    private final CallbackStore parked = new JdbcCallbackStore(connection, batches);
    private final DueTasks dueTasks = new JdbcDueTasks(connection, new HandTicker());
    private final Epoch epoch = TestSettings.openEpoch(new JdbcEpochRegister(a, connection), a, 0);

    @Test
    void no_statement_walks_through_a_whole_index_of_tasks_or_executions_to_find_rows_by_their_keys() {
        List<String> whole = plansOnEmptyTables().entrySet().stream()
                .flatMap(plan -> wholeScans(plan.getValue(), this::isOfEveryRow).stream()
                        .map(scan -> scan + " for " + plan.getKey()))
                .toList();
        assertEquals(List.of(), whole);
    }

    /**
     * Such an index is usually small. But while a session holds an old snapshot, it keeps an entry for every row that
     * was ever unfinished since.
     */
    @Test
    void only_a_search_for_all_unfinished_rows_walks_through_a_whole_index_of_them() {
        List<String> whole = plansOnEmptyTables().entrySet().stream()
                .filter(plan -> SEARCHES.stream().noneMatch(plan.getKey()::contains))
                .flatMap(plan -> wholeScans(plan.getValue(), index -> !isOfEveryRow(index)).stream()
                        .map(scan -> scan + " for " + plan.getKey()))
                .toList();
        assertEquals(List.of(), whole);
    }

    private Map<String, String> plansOnEmptyTables() {
        for (String table : List.of("task", "task_state", "execution")) {
            tasks.execute("vacuum twinbell." + table);
        }
        assertEquals(
                0,
                tasks.number("select sum(reltuples) from pg_class where relname in ('task', 'task_state')"),
                "empty");
        for (int time = 0; time < UNTIL_PREPARED; time++) {
            useEveryStatement();
        }
        Map<String, String> plans = plans();
        assertEquals(STATEMENTS, plans.size(), String.join("\n", plans.keySet()));
        return plans;
    }

    private void useEveryStatement() {
        Slot slot = new Slot(0, 0);
        Attempt attempt = new Attempt(slot, "test", "t", 1, epoch.number(), "a", List.of());
        ledger.claim(epoch, 1, List.of(new DecidedSlot(0, 1, 0, DecidedSlot.NONE, true, 1, LedgerEntry.claimed(0))));
        ledger.claim(
                epoch,
                1,
                List.of(new DecidedSlot(
                        0, 1, 0, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, LedgerEntry.claimed(0))));
        ledger.claim(
                epoch,
                1,
                List.of(new DecidedSlot(0, 1, 0, 1000, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(0))));
        batches.opened(epoch, 1, List.of(slot));
        ledger.claimWaiting(epoch, 1, new Ledger.DueBounds(0, 0), 10);
        ledger.claimWaiting(epoch, 1, new Ledger.DueBounds(0, 0), Map.of("test", 10));
        ledger.appsWaiting(new Ledger.DueBounds(0, 0), "", 10);
        ledger.claimedInBatch(epoch, 1);
        ledger.handBack(epoch, List.of(attempt));
        dueTasks.read(new long[] {0});
        dueTasks.waiting(new long[] {0});
        Completion.RunTimes run = new Completion.RunTimes(0, 0);
        recorder.record(
                epoch,
                Collections.nCopies(
                        2,
                        new Completion(
                                epoch,
                                slot,
                                1,
                                ExecutionState.SUCCEEDED,
                                run,
                                Completion.Text.NONE,
                                Completion.FINISHED)));
        recorder.record(
                epoch,
                List.of(new Completion(
                        epoch, slot, 1, ExecutionState.SUCCEEDED, run, Completion.Text.NONE, Completion.NOT_FOLLOWED)));
        recorder.queue(epoch, List.of(new OverlapQueue(slot, 1, 1)));
        recorder.recordWaits(epoch, List.of(new LedgerWait(slot, 1, "app:test")));
        recovery.settle(
                epoch,
                List.of(new Settlement(attempt, 0, ExecutionState.DROPPED, "test", Completion.NOT_FOLLOWED)),
                0,
                1);
        recovery.restart(epoch, Map.of(0L, 1L));
        recovery.stalled(StalledTask.FROM_THE_FIRST, 10);
        recovery.cancelWaiting(epoch, List.of(new CancelRequest(slot, "test")));
        recovery.orphans(epoch, 10);
        recovery.own(epoch, 0, 10);
        recovery.pauseFailing(epoch);
        recovery.takeReleaseRequests(epoch, 10);
        recovery.enterPassedSlots(epoch);
        ledger.releaseWaiting(epoch, "app:test", 10);
        ledger.enteredInBatch(
                epoch, 1, List.of(new DecidedSlot(0, 1, 0, DecidedSlot.NONE, true, 1, LedgerEntry.claimed(0))));
        useParked(slot);
        recorder.note(List.of(new Completion(
                epoch, slot, 1, ExecutionState.SUCCEEDED, run, Completion.Text.NONE, Completion.NOT_FOLLOWED)));
    }

    private void useParked(Slot slot) {
        parked.park(epoch, List.of(new CallbackRequest(slot, 1, 0, "ab".repeat(32), 1)));
        parked.recordAccepted(epoch, Map.of(slot, 1));
        parked.answer(
                epoch,
                List.of(new CallbackStore.OwnAnswer(
                        slot, 1, new CallbackAnswer.Outcome(ExecutionState.CANCELLED, null, "by hand", null))));
        parked.expire(epoch, 10);
        parked.answers(10);
        parked.tasksToAdopt(epoch);
        parked.adopt(epoch, 10);
        parked.open(List.of(slot));
        parked.close(false, Duration.ofDays(1));
        parked.close(true, Duration.ofDays(1));
    }

    /** The plans, by the beginnings of their statements. */
    private Map<String, String> plans() {
        return connection.run(c -> {
            List<String[]> prepared =
                    rows(c, "select name, statement, cardinality(parameter_types) from pg_prepared_statements");
            Map<String, String> plans = new java.util.LinkedHashMap<>();
            for (String[] statement : prepared) {
                int parameters = Integer.parseInt(statement[2]);
                String values =
                        parameters == 0 ? "" : "(" + String.join(",", Collections.nCopies(parameters, "null")) + ")";
                if (statement[1].matches("(?is)\\s*(with|select|update|delete|insert)\\b.*")) {
                    plans.put(
                            statement[1].replaceAll("\\s+", " "),
                            rows(c, "explain execute \"" + statement[0] + "\"" + values).stream()
                                    .map(line -> line[0])
                                    .collect(Collectors.joining("\n")));
                }
            }
            return plans;
        });
    }

    private static List<String[]> rows(Connection c, String sql) throws SQLException {
        try (Statement statement = c.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String[]> all = new ArrayList<>();
            while (rows.next()) {
                String[] row = new String[rows.getMetaData().getColumnCount()];
                for (int i = 0; i < row.length; i++) {
                    row[i] = rows.getString(i + 1);
                }
                all.add(row);
            }
            return all;
        }
    }

    /** The complete scans of some indexes. */
    private List<String> wholeScans(String plan, Predicate<String> isMeant) {
        // What twinbell.same is before 17 leaves the planner its choice.
        boolean isOld = tasks.number("select current_setting('server_version_num')::int") < 170_000;
        String[] lines = plan.split("\n");
        List<String> found = new ArrayList<>();
        for (int i = 0; i < lines.length; i++) {
            Matcher scan = SCAN.matcher(lines[i]);
            boolean isByKey = i + 1 < lines.length && KEY.matcher(lines[i + 1]).find();
            boolean isJudged = scan.find() && !(isOld && scan.group(2).startsWith("execution"));
            if (isJudged && !isByKey && isMeant.test(scan.group(1))) {
                found.add(lines[i].strip());
            }
            if (lines[i].contains("Seq Scan on task") || lines[i].contains("Seq Scan on execution")) {
                found.add(lines[i].strip());
            }
        }
        return found;
    }

    private boolean isOfEveryRow(String index) {
        return tasks.number("select count(*) from pg_index where indpred is null"
                        + " and indexrelid = to_regclass('twinbell." + index + "')")
                == 1;
    }
}
