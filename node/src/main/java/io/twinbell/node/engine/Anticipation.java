package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.ledger.DueTask;
import io.twinbell.persistence.ledger.DueTasks;
import io.twinbell.persistence.ledger.HeapPage;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Learns on a standby the definitions of what a promotion would fire in its first minute, some at each look: a call that
 * is overdue should not wait for a thousand others to be parsed. What an edit outdates meanwhile, the claim finds out.
 */
final class Anticipation {
    /** No schedule fires before 1970. */
    private static final long BEFORE_EVERYTHING = -1;

    static final int PAGE = 1000;
    static final int LEARNED_AT_ONCE = 250;
    private static final int PAGES = 10;
    /** Where there is nothing left to learn, only every so many looks go beyond the first page. */
    static final int LOOKS_AT_REST = 20;

    private final DueTasks table;
    private final Definitions definitions;
    private final DatabaseClock clock;
    private int looksToRest;

    Anticipation(DueTasks table, Definitions definitions, DatabaseClock clock) {
        this.table = table;
        this.definitions = definitions;
        this.clock = clock;
    }

    /** Learns some more; returns the page that a promotion would claim first. */
    HeapPage look() {
        HeapPage soonest = table.page(BEFORE_EVERYTHING, 0, PAGE);
        int learned = learn(soonest, LEARNED_AT_ONCE, definitions::learn);
        if (learned < LEARNED_AT_ONCE && looksToRest-- <= 0) {
            boolean hasLearned = learnBeyond(soonest, LEARNED_AT_ONCE - learned);
            looksToRest = hasLearned ? 0 : LOOKS_AT_REST;
        }
        return soonest;
    }

    /** Of these only what is worth it, as of tasks that were written just now; returns whether anything was. */
    private boolean learnBeyond(HeapPage soonest, int most) {
        long now = clock.nowMillis();
        int before = definitions.size();
        int read = 0;
        HeapPage page = soonest;
        for (int pages = 1; pages < PAGES && read < most && goesOn(page, now); pages++) {
            int last = page.size() - 1;
            page = table.page(page.fireMillis()[last], page.taskIds()[last], PAGE);
            read += learn(page, most - read, task -> definitions.renew(task, now));
        }
        return definitions.size() > before;
    }

    private boolean goesOn(HeapPage page, long nowMillis) {
        return page.size() == PAGE
                && Definitions.isSoon(page.fireMillis()[PAGE - 1], nowMillis)
                && definitions.hasRoom();
    }

    /** Returns how many had to be read. */
    private int learn(HeapPage page, int most, Consumer<DueTask> learn) {
        long[] unknown = Arrays.stream(page.taskIds())
                .filter(id -> definitions.get(id) == null)
                .limit(most)
                .toArray();
        if (unknown.length > 0) {
            table.read(unknown).forEach(learn);
        }
        return unknown.length;
    }
}
