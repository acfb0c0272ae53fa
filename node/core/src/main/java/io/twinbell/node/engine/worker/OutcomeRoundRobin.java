package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.AppHash;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Orders outcomes that wait to be recorded by turns of their apps. An app's outcomes wait in one queue, and those of
 * its tasks with followers in another, because each of them enters a row for every follower. The queue that has written
 * the fewest rows goes next. So neither another app's flood nor an app's own chains delay an outcome by more than their
 * share of a batch. Outcomes of one task keep their order. The runs in flight bound the size. Recorder's thread only.
 */
final class OutcomeRoundRobin {
    private final Map<Integer, AppLine> lines = new HashMap<>();
    private final PriorityQueue<AppLine> order = new PriorityQueue<>(
            Comparator.comparingLong((AppLine line) -> line.rows).thenComparingLong(line -> line.turn));
    /**
     * The queue of each task's outcomes. A task that is edited meanwhile keeps its queue until the queue has none of
     * its outcomes.
     */
    private final Map<Long, Place> byTask = new HashMap<>();

    /**
     * The row count of the queue that went last. A queue that was empty starts from it, and does not make up for the
     * time it was empty.
     */
    private long rows;

    private long turns;

    private static final class AppLine {
        private final int key;
        private final Queue<PendingRecord> waiting = new ArrayDeque<>();
        private long rows;
        private long turn;

        AppLine(int key) {
            this.key = key;
        }
    }

    private static final class Place {
        private final AppLine line;
        private int outcomes;

        Place(AppLine line) {
            this.line = line;
        }
    }

    void add(PendingRecord pending) {
        Place place = byTask.computeIfAbsent(pending.taskId(), task -> new Place(line(pending)));
        place.outcomes++;
        place.line.waiting.add(pending);
        if (place.line.waiting.size() == 1) {
            place.line.rows = Math.max(place.line.rows, rows);
            place.line.turn = ++turns;
            order.add(place.line);
        }
    }

    private AppLine line(PendingRecord pending) {
        int key = 2 * AppHash.index(pending.app()) + (pending.hasFollowers() ? 1 : 0);
        return lines.computeIfAbsent(key, AppLine::new);
    }

    /** The next outcome; null if there is none. */
    PendingRecord poll() {
        AppLine line = order.poll();
        if (line == null) {
            return null;
        }
        PendingRecord next = line.waiting.remove();
        rows = line.rows;
        byTask.computeIfPresent(next.taskId(), (task, place) -> --place.outcomes == 0 ? null : place);
        line.rows += next.rows();
        line.turn = ++turns;
        if (line.waiting.isEmpty()) {
            lines.remove(line.key);
        } else {
            order.add(line);
        }
        return next;
    }
}
