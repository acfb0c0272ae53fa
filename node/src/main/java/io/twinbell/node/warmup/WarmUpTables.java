package io.twinbell.node.warmup;

import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.engine.EnginePorts;
import io.twinbell.node.memory.MemoryDueTasks;
import io.twinbell.node.memory.MemoryEpochs;
import io.twinbell.node.memory.MemoryLedger;
import io.twinbell.node.memory.MemoryLimits;
import io.twinbell.node.memory.MemoryRecorder;
import io.twinbell.node.memory.MemoryRecovery;
import io.twinbell.node.memory.MemoryTables;
import io.twinbell.node.memory.NoCallbacks;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.ledger.record.ReportWriter;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.limit.LimitSource;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The tables of a warm-up run, in memory, with tasks that become due one after the other. Any thread. */
final class WarmUpTables {
    private static final int TASKS = 12_000;
    private static final int A_MILLISECOND = 8;
    /** One in this many tasks calls this node's own API. */
    private static final int HTTP_EVERY = 4;

    private static final int RECURRING_EVERY = 10;
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final String health;
    private final WarmUpRun.ApiActivity apiActivity;
    private final MemoryTables tables;
    private volatile boolean isClosed;

    /** @param node the address of this node's API; empty if there is none, and then no task makes a call */
    WarmUpTables(DatabaseClock clock, String node, WarmUpRun.ApiActivity apiActivity) {
        health = node.isEmpty() ? "" : URI.create(node).resolve("/health/live").toString();
        this.apiActivity = apiActivity;
        tables = new MemoryTables(clock::nowMicros);
        long firstMillis = clock.nowMillis();
        for (int id = 1; id <= TASKS; id++) {
            tables.put(task(id, firstMillis + id / A_MILLISECOND), (byte) 5);
        }
    }

    private Task task(int id, long fireMillis) {
        Instant fire = Instant.ofEpochMilli(fireMillis);
        String schedule = "{\"at\":\"" + fire + "\"}";
        if (id % RECURRING_EVERY == 0) {
            schedule = id % 2 == 0 ? "{\"every\":\"PT1S\"}" : "{\"cron\":\"* * * * * *\"}";
        }
        boolean isCall = id % HTTP_EVERY == 1 && !health.isEmpty();
        String handler = isCall
                ? "{\"type\":\"http\",\"method\":\"GET\",\"url\":\"" + health + "\"}"
                : "{\"type\":\"java\",\"key\":\"twinbell.noop\"}";
        String definition = "{\"start\":\"" + fire + "\",\"schedule\":" + schedule + ",\"handler\":" + handler + "}";
        TaskContent content = new TaskContent(
                "warm-up",
                "task-" + id,
                null,
                List.of(),
                isCall ? "http" : "java",
                isCall ? null : "twinbell.noop",
                definition);
        TaskProgress progress = TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(fireMillis));
        return new Task(id, 1, content, progress, fireMillis, fireMillis);
    }

    Epoch openEpoch() {
        return tables.openEpoch("warm-up");
    }

    EnginePorts ports() {
        MemoryRecovery recovery = new MemoryRecovery(tables);
        DueTasks dueTasks = locked(DueTasks.class, new MemoryDueTasks(tables));
        return new EnginePorts(
                locked(EpochRegister.class, new MemoryEpochs(tables)),
                locked(Ledger.class, new MemoryLedger(tables)),
                dueTasks,
                locked(Recorder.class, new MemoryRecorder(tables)),
                ReportWriter.NONE,
                locked(RecoveryStore.class, recovery),
                locked(RecoveryStore.class, recovery),
                new DefinitionCompiler(),
                () -> false,
                List::of,
                locked(LimitSource.class, new MemoryLimits(tables)),
                ClaimJournal.NEVER_PROMOTED,
                isResigned -> DoubtWindow.DoubtBounds.NONE,
                new NoCallbacks());
    }

    /**
     * The same port for many threads. A call that needs the ledger waits while clients use this node: this is the point
     * where a real claim waits for the database.
     */
    private <T> T locked(Class<T> port, T real) {
        return port.cast(Proxy.newProxyInstance(
                port.getClassLoader(), new Class<?>[] {port}, (proxy, method, given) -> {
                    while (port == Ledger.class && apiActivity.isThere() && !isClosed) {
                        LockSupport.parkNanos(this, LOOK_AGAIN_NANOS);
                    }
                    synchronized (tables) {
                        try {
                            return method.invoke(real, given);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                }));
    }

    /** How many runs have ended. */
    int outcomes() {
        synchronized (tables) {
            return (int)
                    tables.rows().stream().filter(row -> row.state.isFinal()).count();
        }
    }

    /** Whether as many runs have ended as there are tasks. */
    boolean isEmpty() {
        return outcomes() >= TASKS;
    }

    /** Lets waiting claims continue. */
    void close() {
        isClosed = true;
    }
}
