package io.twinbell.node.simulation;

import io.twinbell.node.memory.MemoryDueTasks;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.DueTasks.HeapPage;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The due tasks in memory behind a link. */
final class SimulatedDueTasks implements DueTasks {
    private final Link link;
    private final SimulatedDatabase database;
    private final MemoryDueTasks tasks;

    SimulatedDueTasks(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        tasks = new MemoryDueTasks(database.tables);
    }

    @Override
    public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
        HeapPage page = link.ask("heap page", () -> tasks.page(afterFireMillis, afterTaskId, limit));
        if (database.weather().isScanLong(database.world())) {
            // A page may be long, and its rows come one after the other.
            link.linger(database.world().between(0, 200 * World.MILLI));
        }
        return page;
    }

    @Override
    public HeapPage overdue(long byMillis, int limit) {
        return link.ask("overdue?", () -> tasks.overdue(byMillis, limit));
    }

    @Override
    public HeapPage waiting(long[] taskIds) {
        return link.ask("waiting " + Arrays.toString(taskIds), () -> tasks.waiting(taskIds));
    }

    @Override
    public List<DueTask> read(long[] taskIds) {
        return link.ask("read tasks " + Arrays.toString(taskIds), () -> tasks.read(taskIds));
    }

    @Override
    public Map<Long, String> apps(long[] taskIds) {
        return link.ask("apps of " + Arrays.toString(taskIds), () -> tasks.apps(taskIds));
    }

    @Override
    public String soleApp() {
        return link.ask("sole app?", tasks::soleApp);
    }
}
