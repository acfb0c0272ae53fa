package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.AppGroup;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Outcomes that wait to be recorded. An app's outcomes wait in one queue, and those of its tasks that others follow in
 * another, because each enters a row for every follower. The queues take turns: the one that has written the fewest rows
 * goes next. So neither another app's flood nor an app's own chains delay an outcome by more than their share of a batch.
 * Outcomes of one task keep their order. The runs in flight bound what waits here. Recorder's thread only.
 */
final class OutcomeTurns {
    private final Map<Integer, Line> lines = new HashMap<>();
    private final PriorityQueue<Line> order = new PriorityQueue<>(
            Comparator.comparingLong((Line line) -> line.rows).thenComparingLong(line -> line.turn));
    /** Where the outcomes of a task wait. A task that is edited meanwhile stays in its queue until that has none of it. */
    private final Map<Long, Place> byTask = new HashMap<>();

    /** The rows of the queue that went last: one that was empty begins there, and does not make up for that time. */
    private long rows;

    private long turns;

    private static final class Line {
        private final int key;
        private final Queue<PendingRecord> waiting = new ArrayDeque<>();
        private long rows;
        private long turn;

        Line(int key) {
            this.key = key;
        }
    }

    private static final class Place {
        private final Line line;
        private int outcomes;

        Place(Line line) {
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

    private Line line(PendingRecord pending) {
        int key = 2 * AppGroup.index(pending.app()) + (pending.isOfChain() ? 1 : 0);
        return lines.computeIfAbsent(key, Line::new);
    }

    /** What goes next; null for nothing. */
    PendingRecord poll() {
        Line line = order.poll();
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
