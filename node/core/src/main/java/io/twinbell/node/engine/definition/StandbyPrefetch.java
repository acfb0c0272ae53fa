package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.ScanPace;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.HeapPage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * On a standby, reads the definitions that a promotion would need in its first minute, some with each call. Otherwise
 * an overdue task would wait until a thousand others are parsed. A claim detects definitions that were edited
 * meanwhile.
 */
final class StandbyPrefetch {
    static final int PAGE = 1000;
    static final int LEARNED_AT_ONCE = 250;
    private static final int PAGES = 10;
    /** While there is nothing left to read, one call in this many goes beyond the first page. */
    static final int LOOKS_AT_REST = 20;

    private final DueTasks table;
    private final Definitions definitions;
    private final DatabaseClock clock;
    private final Random random = new Random();
    private final ScanPace pace;
    private HeapPage soonest;
    private long beginning = HeapTableSync.BEFORE_EVERYTHING;
    private int looksToRest;

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
        readUnknown(unknown, definitions::add);
        if (unknown.length < LEARNED_AT_ONCE) {
            readFurtherPages();
        }
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
    private void readUnknown(long[] unknown, Consumer<DueTask> learn) {
        if (unknown.length > 0) {
            table.read(unknown).stream().filter(task -> !task.offSchedule()).forEach(learn);
        }
    }

    private void readFurtherPages() {
        if (looksToRest > 0) {
            looksToRest--;
        } else {
            looksToRest = readBeyond() ? 0 : LOOKS_AT_REST;
        }
    }

    /**
     * Reads further pages, with the same criteria as for tasks just written; returns whether any definition was added.
     */
    private boolean readBeyond() {
        long now = clock.nowMillis();
        List<Long> unknown = new ArrayList<>();
        int met = soonest.size();
        HeapPage page = soonest;
        for (int pages = 1; pages < PAGES && continuesAfter(page, now); pages++) {
            int last = page.size() - 1;
            page = table.page(page.fireMillis()[last], page.taskIds()[last], PAGE);
            met += page.size() - addUnknown(page, unknown);
        }
        // Entries that no page of the heap named belong to tasks that were removed or are not due soon, so they are
        // dropped.
        definitions.trimTo(met);
        return readRandom(unknown, now);
    }

    private static boolean continuesAfter(HeapPage page, long nowMillis) {
        return page.size() == PAGE && Definitions.isSoon(page.fireMillis()[PAGE - 1], nowMillis);
    }

    private int addUnknown(HeapPage page, List<Long> unknown) {
        int before = unknown.size();
        for (long id : page.taskIds()) {
            if (definitions.get(id) == null) {
                unknown.add(id);
            }
        }
        return unknown.size() - before;
    }

    /** Reads tasks at random: some are never added, and in a fixed order these would block all that follow. */
    private boolean readRandom(List<Long> unknown, long nowMillis) {
        int before = definitions.size();
        if (!unknown.isEmpty() && definitions.hasRoom()) {
            Collections.shuffle(unknown, random);
            long[] some =
                    unknown.stream().limit(LEARNED_AT_ONCE).mapToLong(id -> id).toArray();
            readUnknown(some, task -> definitions.renew(task, nowMillis));
        }
        return definitions.size() > before;
    }
}
