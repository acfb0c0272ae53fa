package io.twinbell.node.simulation;

import io.twinbell.node.simulation.Tables.Row;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Does on simulated tables what {@code JdbcLedger} does on PostgreSQL. */
final class SimulatedLedger implements Ledger {
    private static final Pattern ALLOWS_OVERLAP = Pattern.compile("\"overlap\"\\s*:\\s*\"ALLOW\"");

    private final Link link;
    private final SimulatedDatabase database;
    private final Tables tables;
    private int claimedBy;

    SimulatedLedger(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        tables = database.tables;
    }

    @Override
    public ClaimOutcome claim(Epoch epoch, long batch, List<DecidedSlot> claims) {
        Set<Long> ids = claims.stream().map(DecidedSlot::taskId).collect(Collectors.toSet());
        try {
            return link.guarded("claim " + slots(claims), ids, () -> claimAll(epoch, batch, claims));
        } finally {
            claimedBy = link.sentTo();
        }
    }

    private static String slots(List<DecidedSlot> claims) {
        return claims.stream()
                .map(claim -> claim.taskId() + "@" + time(claim.expectedMillis())
                        + (claim.entry().state() == ExecutionState.CLAIMED
                                ? ""
                                : ":" + claim.entry().state()))
                .sorted()
                .toList()
                .toString();
    }

    static String time(long millis) {
        long since = millis - SimulatedDatabase.EPOCH_MILLIS;
        return since / 1000 + "." + String.format(Locale.ROOT, "%03d", Math.floorMod(since, 1000));
    }

    private ClaimOutcome claimAll(Epoch epoch, long batch, List<DecidedSlot> claims) {
        Set<Long> advanced = new HashSet<>();
        Set<Long> entered = new HashSet<>();
        Set<Long> exhausted = new HashSet<>();
        if (!tables.isOwner(epoch)) {
            return new ClaimOutcome(false, Set.of(), Set.of(), Set.of());
        }
        claims.stream().sorted(Comparator.comparingLong(DecidedSlot::taskId)).forEach(claim -> {
            Task task = tables.tasks.get(claim.taskId());
            if (task == null || !isAsDecided(task, claim) || database.isLocked(task.id(), link.serving())) {
                return;
            }
            boolean isNew = enter(task, claim, epoch, batch);
            boolean isRun = isNew && claim.entry().state() == ExecutionState.CLAIMED;
            long runs = task.progress().runs() + (isRun ? 1 : 0);
            boolean isSplit = claim.entry().slots() > 1 && !isNew;
            advance(task, claim, runs, isSplit);
            advanced.add(task.id());
            if (isNew) {
                entered.add(task.id());
            }
            if (runs >= claim.maxRuns()) {
                exhausted.add(task.id());
            }
        });
        return new ClaimOutcome(true, advanced, entered, exhausted);
    }

    private static boolean isAsDecided(Task task, DecidedSlot claim) {
        return task.version() == claim.version()
                && task.progress().state() == TaskState.ACTIVE
                && task.progress().nextFireMillis().equals(OptionalLong.of(claim.expectedMillis()));
    }

    private boolean enter(Task task, DecidedSlot claim, Epoch epoch, long batch) {
        boolean isClaimedBefore = task.progress().previousFireMillis().equals(OptionalLong.of(claim.expectedMillis()));
        if (claim.entry().state() == null || isClaimedBefore || tables.executions.containsKey(claim.slot())) {
            return false;
        }
        Row row = new Row(
                claim.slot(),
                task.content().app(),
                task.content().name(),
                claim.entry().state());
        row.epoch = epoch.number();
        row.node = epoch.node();
        row.batch = batch;
        row.claimedMillis = database.nowMillis();
        row.endedMillis = row.state == ExecutionState.CLAIMED ? null : row.claimedMillis;
        row.untilMillis = claim.entry().slots() > 1
                ? claim.entry().untilMillis()
                : claim.slot().fireTimeMillis();
        row.slots = claim.entry().slots();
        row.reason = claim.entry().reason();
        return tables.enter(row);
    }

    private void advance(Task task, DecidedSlot claim, long runs, boolean isSplit) {
        TaskProgress was = task.progress();
        boolean isExhausted = runs >= claim.maxRuns();
        long next = isSplit ? claim.entry().secondMillis() : isExhausted ? DecidedSlot.NONE : claim.nextMillis();
        long claimed = isSplit ? claim.expectedMillis() : claim.entry().untilMillis();
        TaskProgress now = new TaskProgress(
                !isSplit && (claim.finished() || isExhausted) ? TaskState.FINISHED : was.state(),
                was.reason(),
                next == DecidedSlot.NONE ? OptionalLong.empty() : OptionalLong.of(next),
                claim.entry().state() == null ? was.previousFireMillis() : OptionalLong.of(claimed),
                TaskPause.NONE,
                runs,
                false);
        tables.put(task, now, false);
    }

    @Override
    public Set<Long> enteredInBatch(Epoch epoch, long batch, List<DecidedSlot> claims) {
        endOldBackend("entered");
        link.passBarrier();
        return link.ask("entered in batch?", () -> {
            return claims.stream()
                    .filter(claim -> {
                        Row row = tables.executions.get(claim.slot());
                        return row != null && row.isOf(epoch) && row.batch != null && row.batch == batch;
                    })
                    .map(DecidedSlot::taskId)
                    .collect(Collectors.toCollection(HashSet::new));
        });
    }

    private void endOldBackend(String what) {
        link.ask("end the session of what was " + what, () -> {
            if (link.serving().pid != claimedBy) {
                database.terminate(claimedBy);
            }
            return null;
        });
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, int limit) {
        return claimWaiting(epoch, batch, () -> waitingRows(due).limit(limit).toList());
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, Map<String, Integer> mostByApp) {
        return claimWaiting(
                epoch,
                batch,
                () -> mostByApp.entrySet().stream()
                        .flatMap(most -> waitingRows(due)
                                .filter(row -> row.app.equals(most.getKey()))
                                .limit(most.getValue()))
                        .toList());
    }

    private List<Attempt> claimWaiting(Epoch epoch, long batch, Supplier<List<Row>> rows) {
        try {
            return link.guarded("claim waiting", () -> {
                List<Row> found = tables.isOwner(epoch) ? rows.get() : List.of();
                found.forEach(row -> claim(row, epoch, batch));
                return found.stream().map(this::attempt).toList();
            });
        } finally {
            claimedBy = link.sentTo();
        }
    }

    private Stream<Row> waitingRows(DueBounds due) {
        return tables.openRows()
                .filter(row -> row.waits() && row.heldBy == null && isDue(row, due) && !hasToWait(row, due))
                .sorted(Comparator.comparingLong(Row::dueOrFireMillis).thenComparingLong(row -> row.slot.taskId()));
    }

    @Override
    public List<String> appsWaiting(DueBounds due, String after, int limit) {
        return link.ask(
                "apps waiting",
                () -> tables.openRows()
                        .filter(row -> row.waits() && row.heldBy == null && isDue(row, due))
                        .map(row -> row.app)
                        .filter(app -> app.compareTo(after) > 0)
                        .distinct()
                        .sorted()
                        .limit(limit)
                        .toList());
    }

    /** The simulated database loses nothing, so nothing is ever in doubt. */
    @Override
    public SettledDoubts settleDoubts(Epoch epoch, int most) {
        return new SettledDoubts(Set.of(), false);
    }

    private static boolean isDue(Row row, DueBounds due) {
        return row.dueOrFireMillis() <= due.fireUntilMillis()
                && (row.dueMillis == null || row.dueMillis <= due.nowMillis());
    }

    private boolean hasToWait(Row row, DueBounds due) {
        long task = row.slot.taskId();
        if (row.state == ExecutionState.PENDING && row.inTurn && !mayOverlap(task)) {
            boolean isBehind = tables.rowsOf(task)
                    .anyMatch(other -> other.state == ExecutionState.RETRYING
                            || other.isClaimed() && other.slot.fireTimeMillis() <= due.nowMillis()
                            || other.state == ExecutionState.PENDING
                                    && other.inTurn
                                    && other.slot.fireTimeMillis() < row.slot.fireTimeMillis());
            if (isBehind) {
                return true;
            }
        }
        Task found = tables.tasks.get(task);
        boolean isPaused = found != null && found.progress().state() == TaskState.PAUSED;
        return (row.queued || row.state == ExecutionState.RETRYING) && isPaused;
    }

    private boolean mayOverlap(long task) {
        String definition = tables.definition(task);
        return definition != null && ALLOWS_OVERLAP.matcher(definition).find();
    }

    private void claim(Row row, Epoch epoch, long batch) {
        row.attempt += row.state == ExecutionState.RETRYING ? 1 : 0;
        row.retryDueMillis = row.state == ExecutionState.RETRYING ? row.dueMillis : null;
        row.state = ExecutionState.CLAIMED;
        row.epoch = epoch.number();
        row.node = epoch.node();
        row.batch = batch;
        row.claimedMillis = database.nowMillis();
        row.startedMillis = null;
        row.endedMillis = null;
        row.dueMillis = null;
    }

    private Attempt attempt(Row row) {
        return attempt(tables, row);
    }

    static Attempt attempt(Tables tables, Row row) {
        return new Attempt(
                row.slot,
                row.app,
                row.name,
                row.attempt,
                row.epoch,
                row.node,
                tables.definition(row.slot.taskId()),
                row.inTurn,
                tags(tables, row.slot.taskId()));
    }

    private static List<String> tags(Tables tables, long task) {
        Task found = tables.tasks.get(task);
        return found == null ? List.of() : found.content().tags();
    }

    @Override
    public Set<Long> tasksInTurn(long nowMillis) {
        return link.ask(
                "tasks in turn",
                () -> tables.openRows()
                        .filter(row ->
                                row.state == ExecutionState.PENDING && row.inTurn && row.dueOrFireMillis() <= nowMillis)
                        .map(row -> row.slot.taskId())
                        .collect(Collectors.toCollection(HashSet::new)));
    }

    @Override
    public long nextWaitingMillis(long afterMillis) {
        return link.ask(
                "next waiting",
                () -> tables.openRows()
                        .filter(row -> row.waits() && row.heldBy == null && row.dueOrFireMillis() > afterMillis)
                        .mapToLong(Row::dueOrFireMillis)
                        .min()
                        .orElse(DecidedSlot.NONE));
    }

    @Override
    public List<Attempt> claimedInBatch(Epoch epoch, long batch) {
        endOldBackend("claimed");
        link.passBarrier();
        return link.ask("claimed in batch?", () -> {
            return tables.openRows()
                    .filter(row -> row.isClaimed() && row.isOf(epoch) && row.batch != null && row.batch == batch)
                    .map(this::attempt)
                    .toList();
        });
    }

    @Override
    public int releaseWaiting(Epoch epoch, String limitKey, int most) {
        return link.guarded("release rows of " + limitKey, () -> {
            List<Row> found = tables.isOwner(epoch)
                    ? tables.openRows()
                            .filter(row -> limitKey.equals(row.heldBy))
                            .sorted(Comparator.comparingLong(this::urgencyMillis)
                                    .thenComparingLong(row -> row.slot.taskId()))
                            .limit(most)
                            .toList()
                    : List.of();
            found.forEach(row -> row.heldBy = null);
            return found.size();
        });
    }

    private long urgencyMillis(Row row) {
        return row.slot.fireTimeMillis() - 5000L * tables.priority(row.slot.taskId());
    }

    @Override
    public Set<String> waitedLimits() {
        return link.ask(
                "held by?",
                () -> tables.openRows()
                        .map(row -> row.heldBy)
                        .filter(key -> key != null)
                        .collect(Collectors.toCollection(HashSet::new)));
    }

    @Override
    public boolean markUnreadable(Epoch epoch, long taskId, long version, String reason) {
        return link.guarded("set aside " + taskId, () -> {
            Task task = tables.tasks.get(taskId);
            boolean may = task != null && task.version() == version && tables.isOwner(epoch);
            if (may) {
                tables.put(task, task.progress().in(TaskState.ERROR, reason), false);
            }
            return may;
        });
    }

    @Override
    public boolean handBack(Epoch epoch, List<Attempt> unstarted) {
        return link.guarded("hand back " + unstarted.size(), () -> {
            int changed = 0;
            for (Attempt attempt : unstarted) {
                Row row = tables.executions.get(attempt.slot());
                if (tables.isOwnerOrDrains(epoch) && isUnstarted(row, attempt, epoch)) {
                    row.handBack();
                    changed++;
                }
            }
            if (tables.isOwnerOrDrains(epoch)) {
                database.tell("ledger", 0);
            }
            return changed > 0 || unstarted.isEmpty();
        });
    }

    private static boolean isUnstarted(Row row, Attempt attempt, Epoch epoch) {
        return row != null
                && row.attempt == attempt.attempt()
                && row.isOf(epoch)
                && row.state == ExecutionState.CLAIMED;
    }
}
