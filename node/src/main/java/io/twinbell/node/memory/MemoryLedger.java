package io.twinbell.node.memory;

import io.twinbell.node.json.StrictJson;
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
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Claims slots in the tables in memory, as {@code JdbcLedger} does. A claim is never unanswered. */
public record MemoryLedger(MemoryTables tables) implements Ledger {
    @Override
    public ClaimOutcome claim(Epoch epoch, long batch, List<DecidedSlot> claims) {
        tables.reach("claim");
        if (!tables.isOwner(epoch)) {
            return new ClaimOutcome(false, Set.of(), Set.of(), Set.of());
        }
        Set<Long> advanced = new HashSet<>();
        Set<Long> entered = new HashSet<>();
        Set<Long> exhausted = new HashSet<>();
        claims.stream().sorted(Comparator.comparingLong(DecidedSlot::taskId)).forEach(claim -> {
            Task task = tables.tasks.get(claim.taskId());
            if (task == null || !isAsDecided(task, claim) || tables.isLocked(task.id())) {
                return;
            }
            boolean isNew = enter(task, claim, epoch, batch);
            boolean isRun = isNew && claim.entry().state() == ExecutionState.CLAIMED;
            long runs = task.progress().runs() + (isRun ? 1 : 0);
            advance(task, claim, runs, claim.entry().slots() > 1 && !isNew);
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
        if (claim.entry().state() == null || isClaimedBefore) {
            return false;
        }
        MemoryRow row = new MemoryRow(
                claim.slot(),
                task.content().app(),
                task.content().name(),
                claim.entry().state());
        row.epoch = epoch.number();
        row.node = epoch.node();
        row.batch = batch;
        row.claimedMillis = tables.nowMillis();
        row.endedMillis = row.state == ExecutionState.CLAIMED ? null : row.claimedMillis;
        row.slots = claim.entry().slots();
        row.untilMillis =
                row.slots > 1 ? claim.entry().untilMillis() : claim.slot().fireTimeMillis();
        row.reason = claim.entry().reason();
        return tables.enter(row);
    }

    /** @param isSplit whether the first of many slots has a row already, so that the task continues at the second */
    private void advance(Task task, DecidedSlot claim, long runs, boolean isSplit) {
        TaskProgress was = task.progress();
        boolean isExhausted = runs >= claim.maxRuns();
        boolean isFinished = !isSplit && (claim.finished() || isExhausted);
        long next = isSplit ? claim.entry().secondMillis() : isExhausted ? DecidedSlot.NONE : claim.nextMillis();
        long claimed = isSplit ? claim.expectedMillis() : claim.entry().untilMillis();
        boolean endsForAReason = claim.finished() && claim.entry().state() == null && !isExhausted;
        tables.progress(
                task,
                new TaskProgress(
                        isFinished ? TaskState.FINISHED : was.state(),
                        endsForAReason ? claim.entry().reason() : was.reason(),
                        next == DecidedSlot.NONE ? OptionalLong.empty() : OptionalLong.of(next),
                        claim.entry().state() == null ? was.previousFireMillis() : OptionalLong.of(claimed),
                        TaskPause.NONE,
                        runs,
                        false));
    }

    @Override
    public Set<Long> enteredInBatch(Epoch epoch, long batch, List<DecidedSlot> claims) {
        tables.reach("look up a claim");
        return claims.stream()
                .map(claim -> tables.row(claim.slot()))
                .filter(row -> row != null && isOfBatch(row, epoch, batch))
                .map(row -> row.slot.taskId())
                .collect(Collectors.toCollection(HashSet::new));
    }

    private static boolean isOfBatch(MemoryRow row, Epoch epoch, long batch) {
        return row.isOf(epoch) && row.batch != null && row.batch == batch;
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, int limit) {
        tables.reach("claim waiting rows");
        return claimRows(epoch, batch, waitingRows(due).limit(limit).toList());
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, Map<String, Integer> mostByApp) {
        tables.reach("claim waiting rows");
        return claimRows(
                epoch,
                batch,
                mostByApp.entrySet().stream()
                        .flatMap(most -> waitingRows(due)
                                .filter(row -> row.app.equals(most.getKey()))
                                .limit(most.getValue()))
                        .toList());
    }

    private List<Attempt> claimRows(Epoch epoch, long batch, List<MemoryRow> rows) {
        if (!tables.isOwner(epoch)) {
            return List.of();
        }
        rows.forEach(row -> claim(row, epoch, batch));
        return rows.stream().map(row -> RunDefinitions.attempt(tables, row)).toList();
    }

    private Stream<MemoryRow> waitingRows(DueBounds due) {
        return tables
                .openRows()
                .filter(row -> row.waits() && row.heldBy == null && isDue(row, due) && !hasToWait(row, due))
                .sorted(Comparator.comparingLong(MemoryRow::dueOrFireMillis)
                        .thenComparingLong(row -> row.slot.taskId()))
                .toList()
                .stream();
    }

    private static boolean isDue(MemoryRow row, DueBounds due) {
        return row.dueOrFireMillis() <= due.fireUntilMillis()
                && (row.dueMillis == null || row.dueMillis <= due.nowMillis());
    }

    private boolean hasToWait(MemoryRow row, DueBounds due) {
        Task task = tables.tasks.get(row.slot.taskId());
        boolean isInTurn = row.state == ExecutionState.PENDING && row.inTurn;
        if (isInTurn && !mayOverlap(task) && isBehindAnother(row, due)) {
            return true;
        }
        boolean isPaused = task != null && task.progress().state() == TaskState.PAUSED;
        return (row.queued || row.state == ExecutionState.RETRYING) && isPaused;
    }

    private static boolean mayOverlap(Task task) {
        return task != null
                && "ALLOW"
                        .equals(StrictJson.readStored(task.content().definition())
                                .path("overlap")
                                .textValue());
    }

    private boolean isBehindAnother(MemoryRow row, DueBounds due) {
        return tables.openRowsOf(row.slot.taskId())
                .anyMatch(other -> other.state == ExecutionState.RETRYING
                        || other.isClaimed() && other.slot.fireTimeMillis() <= due.nowMillis()
                        || other.state == ExecutionState.PENDING
                                && other.inTurn
                                && other.slot.fireTimeMillis() < row.slot.fireTimeMillis());
    }

    private void claim(MemoryRow row, Epoch epoch, long batch) {
        row.attempt += row.state == ExecutionState.RETRYING ? 1 : 0;
        row.retryDueMillis = row.state == ExecutionState.RETRYING ? row.dueMillis : null;
        row.state = ExecutionState.CLAIMED;
        row.epoch = epoch.number();
        row.node = epoch.node();
        row.batch = batch;
        row.claimedMillis = tables.nowMillis();
        row.startedMillis = null;
        row.endedMillis = null;
        row.output = null;
        row.error = null;
        row.errorCode = null;
        row.dueMillis = null;
    }

    @Override
    public List<String> appsWaiting(DueBounds due, String after, int limit) {
        tables.reach("read the apps of waiting rows");
        return tables.openRows()
                .filter(row -> row.waits() && row.heldBy == null && row.dueOrFireMillis() <= due.fireUntilMillis())
                .map(row -> row.app)
                .filter(app -> app.compareTo(after) > 0)
                .distinct()
                .sorted()
                .limit(limit)
                .toList();
    }

    /** This database loses nothing, so nothing is ever in doubt. */
    @Override
    public SettledDoubts settleDoubts(Epoch epoch, int most) {
        return new SettledDoubts(Set.of(), false);
    }

    @Override
    public Set<Long> tasksInTurn(long nowMillis) {
        tables.reach("read tasks in turn");
        return tables.openRows()
                .filter(row -> row.state == ExecutionState.PENDING && row.inTurn && row.dueOrFireMillis() <= nowMillis)
                .map(row -> row.slot.taskId())
                .collect(Collectors.toCollection(HashSet::new));
    }

    @Override
    public long nextWaitingMillis(long afterMillis) {
        tables.reach("read the next waiting row");
        return tables.openRows()
                .filter(row -> row.waits() && row.heldBy == null && row.dueOrFireMillis() > afterMillis)
                .mapToLong(MemoryRow::dueOrFireMillis)
                .min()
                .orElse(DecidedSlot.NONE);
    }

    @Override
    public List<Attempt> claimedInBatch(Epoch epoch, long batch) {
        tables.reach("look up a claim");
        return tables.openRows()
                .filter(row -> row.isClaimed() && isOfBatch(row, epoch, batch))
                .map(row -> RunDefinitions.attempt(tables, row))
                .toList();
    }

    @Override
    public int releaseWaiting(Epoch epoch, String limitKey, int most) {
        tables.reach("release waiting rows");
        List<MemoryRow> found = tables.isOwner(epoch)
                ? tables.openRows()
                        .filter(row -> limitKey.equals(row.heldBy))
                        .sorted(Comparator.comparingLong(this::urgencyMillis)
                                .thenComparingLong(row -> row.slot.taskId()))
                        .limit(most)
                        .toList()
                : List.of();
        found.forEach(row -> row.heldBy = null);
        return found.size();
    }

    private long urgencyMillis(MemoryRow row) {
        return row.slot.fireTimeMillis() - 5000L * tables.priority(row.slot.taskId());
    }

    @Override
    public Set<String> waitedLimits() {
        tables.reach("read waited limits");
        return tables.openRows()
                .map(row -> row.heldBy)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(HashSet::new));
    }

    @Override
    public boolean markUnreadable(Epoch epoch, long taskId, long version, String reason) {
        tables.reach("put a task into ERROR");
        Task task = tables.tasks.get(taskId);
        boolean may = task != null && task.version() == version && tables.isOwner(epoch);
        if (may) {
            tables.progress(task, task.progress().in(TaskState.ERROR, reason));
        }
        return may;
    }

    @Override
    public boolean handBack(Epoch epoch, List<Attempt> unstarted) {
        tables.reach("hand claims back");
        if (!tables.isOwnerOrDrains(epoch)) {
            return unstarted.isEmpty();
        }
        List<MemoryRow> found = unstarted.stream()
                .filter(attempt -> isUnstarted(attempt, epoch))
                .map(attempt -> tables.row(attempt.slot()))
                .toList();
        found.forEach(MemoryRow::handBack);
        tables.listener().ledgerChanged();
        return !found.isEmpty() || unstarted.isEmpty();
    }

    private boolean isUnstarted(Attempt attempt, Epoch epoch) {
        MemoryRow row = tables.row(attempt.slot());
        return row != null
                && row.attempt == attempt.attempt()
                && row.isOf(epoch)
                && row.state == ExecutionState.CLAIMED;
    }
}
