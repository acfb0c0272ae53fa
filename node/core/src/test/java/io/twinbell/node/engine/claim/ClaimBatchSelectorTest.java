package io.twinbell.node.engine.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.loop.Signals;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClaimBatchSelectorTest {
    private static final short BUSY = AppHash.of("busy");
    private static final short OTHER = AppHash.of("other");

    private final Signals<EngineEvent> signals = new Signals<>(EngineEvent.class);
    private final RunRegistry runRegistry =
            new RunRegistry(RunRegistry.Bounds.of(100, 0), TestRuns.NO_PRESSURE, new ReadRequests(signals));
    private final AppLoads loads = new AppLoads();
    private final DueInbox inbox = new DueInbox();
    private final LimitWaitQueue rooms = new LimitWaitQueue(runRegistry.limits());
    private final OverdueBacklog backlog = new OverdueBacklog(runRegistry);
    private final ClaimBatchSelector selector =
            new ClaimBatchSelector(inbox, new ActionQueue(100, signals), rooms, backlog, loads, 100);

    @Test
    void a_batch_ends_although_the_apps_of_the_most_urgent_tasks_hold_as_many_runs_as_they_may() {
        loads.add(BUSY);
        loads.add(OTHER);
        inbox.offer(1, 1000, Urgency.USUAL, BUSY);
        inbox.offer(2, 1000, Urgency.USUAL, BUSY);
        rooms.add("db1", 3, 2000, Urgency.USUAL);
        backlog.postpone(3, 2000, 3000);

        ClaimRoom oneRunOfEachApp = new ClaimRoom(10, 100, 1, 0);
        ClaimBatchSelector.Batch batch =
                assertTimeoutPreemptively(Duration.ofMinutes(1), () -> selector.take(oneRunOfEachApp, 5000));

        assertEquals(Map.of(1L, 1000L, 2L, 1000L, 3L, 2000L), batch.due());
    }
}
