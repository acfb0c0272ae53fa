package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.loop.ScanPace;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.DueTasks.HeapPage;
import java.util.Arrays;

/**
 * On a standby, reads the tasks that a promotion would claim first, some with each call. Otherwise an overdue task
 * would wait until a thousand definitions are compiled. A claim detects tasks that were edited meanwhile.
 */
final class StandbyPrefetch {
    static final int PAGE = 1000;
    static final int LEARNED_AT_ONCE = 250;

    private final DueTasks table;
    private final Definitions definitions;
    private final DatabaseClock clock;
    private final ScanPace pace;
    private HeapPage soonest;
    private long beginning = HeapTableSync.BEFORE_EVERYTHING;

    StandbyPrefetch(DueTasks table, Definitions definitions, TimeSources clocks) {
        this.table = table;
        this.definitions = definitions;
        clock = clocks.database();
        pace = new ScanPace(clocks.monotonic());
    }

    /** Reads some more definitions; returns the page that a promotion would claim first, as the latest read showed it. */
    HeapPage readPage() {
        if (pace.isDue()) {
            readSoonest();
        }
        long[] unknown = Arrays.stream(soonest.taskIds())
                .filter(id -> definitions.get(id) == null)
                .limit(LEARNED_AT_ONCE)
                .toArray();
        if (unknown.length > 0) {
            readUnknown(unknown);
        }
        // The others belong to tasks that were removed or are not due soon.
        definitions.trimTo(soonest.size());
        return soonest;
    }

    private void readSoonest() {
        long now = clock.nowMillis();
        soonest = pace.run(() -> table.page(HeapTableSync.BEFORE_EVERYTHING, 0, PAGE));
        boolean isQuick = pace.isDue();
        long first = soonest.size() == 0 ? now : Math.min(now, soonest.fireMillis()[0]);
        beginning = isQuick ? HeapTableSync.BEFORE_EVERYTHING : first;
    }

    /**
     * Where a promotion begins to read the heap. Usually this is the beginning of the index. If the latest search from
     * there was slow, it is where that search arrived: only a task that was given a past fire time since then is due
     * before. The search for overdue tasks finds such a task within some minutes.
     */
    long beginningMillis() {
        return beginning;
    }

    /**
     * Tasks with an off-schedule fire time are not cached: that fire time is valid for one slot only, and the version
     * of the task does not change when it is over.
     */
    private void readUnknown(long[] unknown) {
        table.read(unknown).stream().filter(task -> !task.offSchedule()).forEach(definitions::add);
    }
}
