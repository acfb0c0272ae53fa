package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Selects the next tasks to claim, from those that the trigger sent and those that waited for a limit and have room
 * now, in the order of their urgency. Neither kind has precedence: with few workers, the other kind would never get its
 * turn. Apps share the room as in {@link DueInbox}.
 */
final class ClaimBatchSelector {
    private final DueInbox due;
    private final ActionQueue actions;
    private final LimitWaitQueue rooms;
    private final OverdueBacklog backlog;
    private final AppLoads loads;
    private final long[] ids;
    private final long[] times;

    /**
     * Tasks that are claimed together.
     *
     * @param due fire times by task, the most urgent first
     * @param hasLetIn whether it has tasks that had waited for a limit: some may no longer be waiting, and then others
     *     that wait behind them may be let in
     */
    record Batch(Map<Long, Long> due, boolean hasLetIn) {}

    /**
     * @param loads how many runs each app holds already
     * @param most the largest size of a batch
     */
    ClaimBatchSelector(
            DueInbox due, ActionQueue actions, LimitWaitQueue rooms, OverdueBacklog backlog, AppLoads loads, int most) {
        this.due = due;
        this.actions = actions;
        this.rooms = rooms;
        this.backlog = backlog;
        this.loads = loads;
        ids = new long[most];
        times = new long[most];
    }

    /** Takes as many tasks as there is room for. */
    Batch take(ClaimRoom room, long nowMillis) {
        Map<Long, Long> batch = new LinkedHashMap<>();
        rooms.open(nowMillis);
        due.beginBatch();
        int in = 0;
        // While the apps of all due tasks hold as many runs as they may, only tasks that waited for a limit are taken.
        boolean mayTakeDue = true;
        while (batch.size() < room.soon() && in < ids.length && rooms.headUrgency() != Long.MAX_VALUE) {
            if (mayTakeDue && due.headUrgency() < rooms.headUrgency()) {
                mayTakeDue = drain(batch, room, 1) > 0;
            } else {
                letIn(batch, rooms.takeHead());
                in++;
            }
        }
        drain(batch, room.less(batch.size()), ids.length - batch.size());
        return new Batch(batch, in > 0);
    }

    /** Returns how many were taken. */
    private int drain(Map<Long, Long> batch, ClaimRoom room, int most) {
        int count = due.drain(ids, times, room.atMost(most), loads);
        for (int i = 0; i < count; i++) {
            batch.put(ids[i], backlog.fireTime(ids[i], times[i]));
        }
        return count;
    }

    private void letIn(Map<Long, Long> batch, long id) {
        long fireMillis = backlog.takePostponed(id);
        if (fireMillis != DecidedSlot.NONE) {
            actions.add(new HeapAction.Remove(id));
            batch.put(id, fireMillis);
        }
    }
}
