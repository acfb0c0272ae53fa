package io.twinbell.node.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.memory.MemoryRow;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.DueTask;
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
import io.twinbell.persistence.ledger.recovery.Settlement;
import io.twinbell.persistence.ledger.recovery.StalledTask;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The simulated database behaves as PostgreSQL does: the same steps, drawn from a seed, get the same answers from both
 * and leave the same rows.
 */
@Tag("thorough")
class ModelTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final int TASKS = 5;
    private static final int STEPS = 100;
    private static final List<String> OVERLAPS = List.of("SKIP", "QUEUE", "ALLOW");

    private final TestTasks table = new TestTasks(DATABASE);
    private DedicatedConnection connection;
    private Side real;
    private Side model;
    private SimulatedDatabase modelDatabase;
    private SplittableRandom random;
    private long base;

    /** The ports of one database, and the epochs that were opened in it, the newest last. */
    private record Side(
            EpochRegister register,
            Ledger ledger,
            Recorder recorder,
            RecoveryStore recovery,
            DueTasks due,
            List<Epoch> epochs) {}

    private interface Step {
        Object on(Side side);
    }

    @BeforeEach
    void prepare() {
        TestPostgres.clear(DATABASE);
        var settings = TestSettings.of(DATABASE, "a");
        connection = new DedicatedConnection(settings, "test", 5);
        // Every last slot of a task is claimed as if there were many: in the model that is a claim like any other.
        PackedSlots batches = new PackedSlots(1);
        real = new Side(
                new JdbcEpochRegister(settings, connection),
                new JdbcLedger(connection, batches),
                new JdbcRecorder(connection, batches),
                new JdbcRecoveryStore(connection, new HandTicker()),
                new JdbcDueTasks(connection, new HandTicker()),
                new ArrayList<>());
        World world = new World(1);
        modelDatabase = new SimulatedDatabase(world);
        Process process = new Process(world, "a", 1);
        process.history(new SimulatedHistory(modelDatabase.replica()));
        Link link = new Link(modelDatabase, process, "test");
        model = new Side(
                new SimulatedEpochRegister(link, modelDatabase),
                new SimulatedLedger(link, modelDatabase),
                new SimulatedRecorder(link, modelDatabase),
                new SimulatedRecovery(link, modelDatabase),
                new SimulatedDueTasks(link, modelDatabase),
                new ArrayList<>());
        base = 1_900_000_000_000L;
    }

    @AfterEach
    void close() {
        connection.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void the_model_answers_as_postgresql_does_and_keeps_the_same_rows(long seed) {
        random = new SplittableRandom(seed);
        List<Long> tasks = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            tasks.add(task(i));
        }
        int entered = 0;
        long inBatches = 0;
        for (int step = 0; step < STEPS; step++) {
            String name = "seed " + seed + ", step " + step;
            Step next = step == 0 ? open(0) : draw(tasks);
            Object expected = next.on(real);
            assertEquals(String.valueOf(expected), String.valueOf(next.on(model)), name);
            assertEquals(rows(), modelRows(), name);
            assertEquals(states(), modelStates(), name);
            entered = rows().size();
            inBatches += table.number("select count(*) from twinbell.claim_batch");
        }
        assertTrue(entered > 3, "only " + entered + " rows were entered");
        assertTrue(inBatches > 0, "nothing was claimed in a batch");
    }

    private long task(int number) {
        String definition = "{\"overlap\": \"" + OVERLAPS.get(number % OVERLAPS.size()) + "\"}";
        long id = table.insert("t" + number, definition, base);
        String stored = table.query("select definition from twinbell.full_task where id = ?", id)
                .get(0);
        TaskContent content = new TaskContent("test", "t" + number, null, List.of(), "log", null, stored);
        TaskProgress progress = TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(base));
        modelDatabase.tables.put(new Task(id, 1, content, progress, 0, 0), (byte) 5);
        return id;
    }

    private Step draw(List<Long> tasks) {
        long task = tasks.get(random.nextInt(TASKS));
        int age = random.nextInt(6) == 0 ? 2 : 1;
        return switch (random.nextInt(18)) {
            case 0 -> open(random.nextInt(5) == 0 ? 1 : 0);
            case 1 -> side -> side.register().confirm(epoch(side, age));
            case 2, 3, 4, 5 -> claim(tasks, age);
            case 6, 7 -> complete(age);
            case 8 -> retry(age);
            case 9 -> waiting(age);
            case 10 -> handBack(age);
            case 11 -> queue(age);
            case 12 -> settle(age);
            case 13 -> draining();
            case 14 -> hold(age);
            case 15, 16 -> again(task);
            default -> reads(task);
        };
    }

    /** The newest epoch, or the one before it; an epoch without an owner if there is none. */
    private static Epoch epoch(Side side, int age) {
        int index = side.epochs().size() - age;
        return index < 0
                ? new Epoch(-1, new UUID(0, 0), "nobody", 0)
                : side.epochs().get(index);
    }

    private Step open(long wrong) {
        long czxid = random.nextLong(50);
        return side -> {
            EpochRow row = side.register().read();
            Claimant claimant = new Claimant("a", new UUID(1, 1), 1, czxid);
            Optional<Epoch> opened = side.register().open(row.epoch() + wrong, claimant, "test");
            opened.ifPresent(side.epochs()::add);
            return opened.map(Epoch::number) + " " + row.resigned() + row.epoch() + row.drainingEpoch();
        };
    }

    private Step claim(List<Long> tasks, int age) {
        List<DecidedSlot> claims = new ArrayList<>();
        for (long id : tasks) {
            TaskProgress at = modelDatabase.tables.tasks().get(id).progress();
            if (random.nextBoolean() && at.nextFireMillis().isPresent()) {
                long fire = at.nextFireMillis().getAsLong();
                boolean isMany = random.nextInt(4) == 0;
                long until = isMany ? fire + 2000 : fire;
                LedgerEntry entry = isMany
                        ? new LedgerEntry(ExecutionState.MISSED, until, 3, fire + 1000, "too late")
                        : LedgerEntry.claimed(fire);
                long version = random.nextInt(10) == 0 ? 7 : 1;
                // A task that goes back meets slots that it has had.
                long next = random.nextInt(4) == 0 ? Math.max(base, fire - 1000) : until + 1000;
                boolean isLast = random.nextInt(3) == 0;
                claims.add(new DecidedSlot(
                        id,
                        version,
                        fire,
                        isLast ? DecidedSlot.NONE : next,
                        isLast,
                        isLast ? DecidedSlot.UNLIMITED : 25,
                        entry));
            }
        }
        long batch = random.nextLong();
        boolean isInDoubt = random.nextInt(3) == 0;
        return side -> {
            ClaimOutcome outcome = side.ledger().claim(epoch(side, age), batch, claims);
            return outcome.authorised() + " " + new TreeSet<>(outcome.advanced()) + new TreeSet<>(outcome.entered())
                    + new TreeSet<>(outcome.exhausted())
                    + (isInDoubt ? new TreeSet<>(side.ledger().enteredInBatch(epoch(side, age), batch, claims)) : "");
        };
    }

    /**
     * Edits a task that has had its last slot so that it fires again, sometimes at an instant at which it has fired
     * already.
     */
    private Step again(long id) {
        Task task = modelDatabase.tables.tasks().get(id);
        if (task.progress().state() != TaskState.FINISHED) {
            return side -> "it fires still";
        }
        long next = task.progress().previousFireMillis().orElse(base) + 1000 * random.nextInt(-1, 3);
        return side -> {
            if (side == real) {
                table.execute("update twinbell.task_state set state = 'ACTIVE', finished_at = null, next_fire_time ="
                        + " twinbell.instant(" + next + ") where task_id = " + id);
            } else {
                TaskProgress at = task.progress();
                TaskProgress going = new TaskProgress(
                        TaskState.ACTIVE,
                        null,
                        OptionalLong.of(next),
                        at.previousFireMillis(),
                        at.pause(),
                        at.runs(),
                        at.offSchedule());
                modelDatabase.tables.put(new Task(id, 1, task.content(), going, 0, 0), (byte) 5);
            }
            return "goes on";
        };
    }

    /** A row that is claimed in the model, and so in both; null if there is none. */
    private MemoryRow claimed() {
        List<MemoryRow> all =
                modelDatabase.tables.openRows().filter(MemoryRow::isClaimed).toList();
        return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    private Step complete(int age) {
        ExecutionState state = random.nextBoolean() ? ExecutionState.SUCCEEDED : ExecutionState.FAILED;
        return onClaimed((side, row) -> side.recorder()
                .record(
                        epoch(side, age),
                        List.of(new Completion(
                                epoch(side, age),
                                row.slot,
                                row.attempt,
                                state,
                                new Completion.RunTimes(base * 1000, base * 1000 + 1000),
                                Completion.Text.NONE,
                                Completion.NOT_FOLLOWED)))
                .size());
    }

    private Step retry(int age) {
        return onClaimed((side, row) -> side.recorder()
                .record(
                        epoch(side, age),
                        List.of(new Completion(
                                epoch(side, age),
                                row.slot,
                                row.attempt,
                                ExecutionState.RETRYING,
                                new Completion.RunTimes(base * 1000, base * 1000 + 1000),
                                Completion.Text.NONE,
                                Completion.NOT_FOLLOWED,
                                new Completion.NextAttempt(base + 5, ExecutionState.FAILED),
                                0)))
                .size());
    }

    private interface OnRow {
        Object on(Side side, MemoryRow row);
    }

    private Step onClaimed(OnRow step) {
        MemoryRow row = claimed();
        if (row == null) {
            return side -> "nothing is claimed";
        }
        MemoryRow seen = row.copy();
        return side -> step.on(side, seen);
    }

    private Step waiting(int age) {
        long now = base + random.nextLong(20_000);
        long batch = random.nextLong();
        return side -> {
            List<Attempt> claimed =
                    side.ledger().claimWaiting(epoch(side, age), batch, new Ledger.DueBounds(now, now + 50), 10);
            return texts(claimed)
                    + texts(side.ledger().claimedInBatch(epoch(side, age), batch))
                    + new TreeSet<>(side.ledger().tasksInTurn(now))
                    + side.ledger().nextWaitingMillis(now);
        };
    }

    private static String texts(List<Attempt> attempts) {
        return attempts.stream()
                .map(attempt -> attempt.slot() + "/" + attempt.attempt() + " " + attempt.epoch() + attempt.node()
                        + attempt.inTurn() + attempt.definition())
                .sorted()
                .toList()
                .toString();
    }

    private static Attempt attempt(Side side, MemoryRow row, int age) {
        return new Attempt(row.slot, row.app, row.name, row.attempt, row.epoch, row.node, null, row.inTurn, List.of());
    }

    private Step handBack(int age) {
        return onClaimed((side, row) -> side.ledger().handBack(epoch(side, age), List.of(attempt(side, row, age))));
    }

    private Step queue(int age) {
        int most = random.nextInt(3);
        return onClaimed((side, row) ->
                side.recorder().queue(epoch(side, age), List.of(new OverlapQueue(row.slot, row.attempt, most))));
    }

    private Step hold(int age) {
        boolean letsGo = random.nextBoolean();
        return letsGo
                ? side -> side.ledger().releaseWaiting(epoch(side, age), "k", 2) + " "
                        + side.ledger().waitedLimits()
                : onClaimed((side, row) -> side.recorder()
                        .recordWaits(epoch(side, age), List.of(new LedgerWait(row.slot, row.attempt, "k"))));
    }

    private Step settle(int age) {
        boolean reruns = random.nextBoolean();
        long claimedForMillis = random.nextInt(4) == 0 ? 3_600_000 : 0;
        return onClaimed((side, row) -> {
            // A node settles only what it has read.
            side.recovery().orphans(epoch(side, age), 100);
            side.recovery().own(epoch(side, age), 0, 100);
            return side.recovery()
                    .settle(
                            epoch(side, age),
                            List.of(new Settlement(
                                    attempt(side, row, age),
                                    reruns ? row.attempt + 1 : 0,
                                    reruns ? ExecutionState.CLAIMED : ExecutionState.DROPPED,
                                    "settled",
                                    Completion.NOT_FOLLOWED)),
                            base,
                            claimedForMillis)
                    .size();
        });
    }

    private Step draining() {
        boolean isOver = random.nextBoolean();
        return side -> {
            Epoch epoch = epoch(side, 1);
            if (isOver) {
                side.register().drained(epoch);
                return "drained";
            }
            return side.register().resign(epoch, Duration.ofHours(1));
        };
    }

    private Step reads(long task) {
        return side -> texts(side.recovery().orphans(epoch(side, 1), 100))
                + new TreeSet<>(side.recovery().tasksThatDrain())
                + side.recovery().retrying(100).stream()
                        .map(Slot::toString)
                        .sorted()
                        .toList()
                + side.recovery()
                        .stalled(StalledTask.FROM_THE_FIRST, 10)
                        .tasks()
                        .size()
                + side.due().read(new long[] {task}).stream()
                        .map(ModelTest::text)
                        .toList()
                + Arrays.toString(side.due().page(-1, 0, 10).taskIds());
    }

    private static String text(DueTask due) {
        return due.id() + " " + due.version() + " " + due.nextFireMillis() + " " + due.offSchedule();
    }

    private List<String> rows() {
        return table.query("select task_id, twinbell.millis(fire_time), state, attempt, epoch, node, in_turn, queued,"
                + " held_by, slots, twinbell.millis(until_fire_time), twinbell.millis(started_at),"
                + " twinbell.millis(due_at), claimed_at is not null, ended_at is not null, batch"
                + " from twinbell.execution"
                + " union all select u.task, u.fire, 'CLAIMED', 1, b.epoch, b.node, false, false, null, 1, null, null,"
                + " null, true, false, b.batch"
                + " from twinbell.claim_batch b, unnest(b.task_ids, b.fire_times) as u(task, fire)"
                + " where not exists (select 1 from twinbell.execution e"
                + " where e.task_id = u.task and e.fire_time = twinbell.instant(u.fire)) order by 1, 2");
    }

    private List<String> modelRows() {
        return modelDatabase.tables.rows().stream().map(ModelTest::text).toList();
    }

    private static String text(MemoryRow row) {
        Object[] values = {
            row.slot.taskId(),
            row.slot.fireTimeMillis(),
            row.state,
            row.attempt,
            row.epoch,
            row.node,
            row.inTurn ? "t" : "f",
            row.queued ? "t" : "f",
            row.heldBy,
            row.slots,
            row.slots > 1 ? row.untilMillis : null,
            row.startedMillis,
            row.dueMillis,
            row.claimedMillis != null ? "t" : "f",
            row.endedMillis != null ? "t" : "f",
            row.batch
        };
        return String.join(
                "|",
                Arrays.stream(values)
                        .map(value -> value == null ? "" : value.toString())
                        .toList());
    }

    private List<String> states() {
        return table.query(
                "select task_id, state, twinbell.millis(next_fire_time), twinbell.millis(previous_fire_time),"
                        + " runs from twinbell.task_state order by task_id");
    }

    private List<String> modelStates() {
        return modelDatabase.tables.tasks().entrySet().stream()
                .map(ModelTest::text)
                .toList();
    }

    private static String text(Map.Entry<Long, Task> entry) {
        TaskProgress at = entry.getValue().progress();
        return entry.getKey() + "|" + at.state() + "|" + text(at.nextFireMillis()) + "|" + text(at.previousFireMillis())
                + "|" + at.runs();
    }

    private static String text(OptionalLong millis) {
        return millis.isPresent() ? String.valueOf(millis.getAsLong()) : "";
    }
}
