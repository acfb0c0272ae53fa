package io.twinbell.lab.fault.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.lab.fault.CallbackReceiver;
import io.twinbell.lab.fault.CallbackReceiver.AcceptedCall;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Fault: the master crashes right after it has got requests: a standing pause, a resume that catches up, moved fire
 * times, a backfill and triggers. The requests are durable, so the successor carries out what is left of them, once.
 */
public final class KillAfterRequests extends Fault {
    private static final int TASKS = 5;
    private static final int BACKFILLED = 10;
    private static final Duration PAUSED = Duration.ofSeconds(4);
    private static final Duration MOVED_BY = Duration.ofSeconds(4);
    /** Time in which a call that started before the standing pause has arrived. */
    private static final Duration PAUSE_BINDS = Duration.ofSeconds(1);

    private static final Duration OBSERVED = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration OFTEN = Duration.ofMillis(100);
    /** How many runs of a task that fires every second may be unfinished at a time. */
    private static final int RUNNING_AT_MOST = 1;

    private static final String SUCCEEDED = "SUCCEEDED";

    private CallbackReceiver receiver;
    private RequestedTasks tasks;
    private String tag;
    private final List<Long> caughtUp = new ArrayList<>();
    private final List<Expected> expected = new ArrayList<>();
    private int calls;

    /** A slot that must run. */
    private record Expected(long task, String fireTime, String why) {}

    public KillAfterRequests() {
        super(
                "requests",
                "Kills the master with SIGKILL right after a standing pause, a catch-up, moved fire times, a backfill"
                        + " and triggers; the successor must carry them out, once.",
                RoleEffect.SUCCESSOR);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, NodeException, IOException {
        begin(stage);
        List<Long> paused = new ArrayList<>();
        List<Long> moved = new ArrayList<>();
        List<Long> others = new ArrayList<>();
        String farAway = Instant.ofEpochMilli(millis(stage) + Duration.ofDays(1).toMillis())
                .toString();
        for (int i = 0; i < TASKS; i++) {
            paused.add(tasks.create("paused-" + i, receiver.url(number()), everySecond(), tag));
            caughtUp.add(tasks.create("caught-up-" + i, receiver.url(number()), everySecond()));
            moved.add(tasks.create(
                    "moved-" + i,
                    receiver.url(number()),
                    RequestedTasks.object().put("at", farAway)));
            others.add(tasks.create("other-" + i, receiver.url(number()), everySecond()));
        }
        stage.poll().until("the tasks are called", OFTEN, () -> receiver.calls().size() >= 2 * TASKS);
        for (long task : caughtUp) {
            tasks.pause(task);
        }
        stage.poll().sleep(PAUSED);
        request(stage, moved, others);
        stage.kill(stage.roles().master());
    }

    private void begin(DrillStage stage) throws IOException {
        calls = 0;
        caughtUp.clear();
        expected.clear();
        receiver = CallbackReceiver.start(stage.pair().receiverHost());
        stage.undo().add("stop the receiver of requested runs", receiver::close);
        tag = "paused-" + Long.toHexString(stage.random().nextLong() >>> 32);
        tasks = new RequestedTasks(stage.pair().client(stage.roles().standby(), ANSWER), "requests-" + tag);
        stage.undo().add("remove the requested tasks", tasks::remove);
        stage.undo().add("end the standing pause", () -> tasks.resumeTag(tag));
    }

    /** All requests of a moment. What they ask for is begun at most when the master dies. */
    private void request(DrillStage stage, List<Long> moved, List<Long> others) throws NodeException {
        tasks.pauseTag(tag);
        for (long task : moved) {
            long to = millis(stage) + MOVED_BY.toMillis();
            tasks.moveTo(task, to);
            expected.add(new Expected(task, Instant.ofEpochMilli(to).toString(), "moved"));
        }
        long now = millis(stage);
        long backfilled = others.get(0);
        long before = now - Duration.ofMinutes(5).toMillis();
        tasks.backfill(backfilled, before, before + BACKFILLED * 1000L, "PT0.5S")
                .forEach(fireTime -> expected.add(new Expected(backfilled, fireTime, "backfilled")));
        for (long task : others) {
            expected.add(new Expected(task, tasks.trigger(task), "triggered"));
        }
        for (long task : caughtUp) {
            tasks.catchUp(task);
        }
    }

    private static ObjectNode everySecond() {
        return RequestedTasks.object().put("every", "PT1S");
    }

    private int number() {
        return calls++;
    }

    private static long millis(DrillStage stage) {
        return stage.poll().wallMicros() / 1000;
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }

    @Override
    public void expect(DrillStage stage) throws DrillException, NodeException {
        expectStandingPause(stage);
        stage.poll()
                .until(
                        "each requested run has succeeded",
                        OFTEN,
                        () -> missing().isEmpty() && caughtUp.stream().allMatch(this::isContiguous));
        stage.expect(
                expected.stream().filter(run -> run.why().equals("backfilled")).count() == BACKFILLED,
                "the backfill did not have " + BACKFILLED + " slots: " + expected);
        int again = checkCalls(stage);
        stage.print("requests  " + expected.size() + " runs succeeded, " + caughtUp.size() + " tasks caught up, "
                + again + " calls were repeated by policy");
    }

    /** The standing pause also applies to tasks that are created under the successor, until it ends. */
    private void expectStandingPause(DrillStage stage) throws DrillException, NodeException {
        int later = number();
        long created = tasks.create("paused-later", receiver.url(later), everySecond(), tag);
        JsonNode pause = tasks.pauseOf(tag);
        stage.expect(
                pause.path("reason").asText().equals("drill")
                        && pause.path("by").asText().equals("a drill")
                        && pause.hasNonNull("since"),
                "the standing pause does not say who set it, why and since when: " + pause);
        stage.poll().sleep(PAUSE_BINDS);
        long before = pausedCalls(later);
        stage.poll().sleep(OBSERVED);
        stage.expect(pausedCalls(later) == before, "tasks under the standing pause were called");
        tasks.resumeTag(tag);
        stage.poll().until("the paused tasks are called again", OFTEN, () -> pausedCalls(later) > before);
        stage.poll()
                .until(
                        "a paused task that was created later is called",
                        OFTEN,
                        () -> tasks.executions(created).stream()
                                .anyMatch(execution ->
                                        execution.path("state").asText().equals(SUCCEEDED)));
    }

    /** The numbers of the paused tasks are every fourth, and the last one. */
    private long pausedCalls(int later) {
        return receiver.calls().stream()
                .filter(call -> call.number() == later || call.number() % 4 == 0 && call.number() < 4 * TASKS)
                .count();
    }

    private List<Expected> missing() throws NodeException {
        List<Expected> missing = new ArrayList<>();
        for (Expected run : expected) {
            boolean hasRun = tasks.executions(run.task()).stream()
                    .anyMatch(execution ->
                            Instant.parse(execution.path("fireTime").asText()).equals(Instant.parse(run.fireTime()))
                                    && execution.path("state").asText().equals(SUCCEEDED));
            if (!hasRun) {
                missing.add(run);
            }
        }
        return missing;
    }

    /** Whether every second from the first run on has its own success: none was lost during the pause or the fault. */
    private boolean isContiguous(long task) {
        try {
            long next = 0;
            int unfinished = 0;
            for (JsonNode execution : tasks.executions(task)) {
                long fire = Instant.parse(execution.path("fireTime").asText()).toEpochMilli();
                boolean isOver = execution.hasNonNull("endedAt");
                if (isOver && !execution.path("state").asText().equals(SUCCEEDED) || next != 0 && fire != next) {
                    return false;
                }
                unfinished += isOver ? 0 : 1;
                next = fire + 1000;
            }
            return next != 0 && unfinished <= RUNNING_AT_MOST;
        } catch (NodeException notAnswering) {
            return false;
        }
    }

    /** Returns how many calls were repeated. */
    private int checkCalls(DrillStage stage) {
        stage.expect(receiver.repeatedAttempts().isEmpty(), "attempts called twice: " + receiver.repeatedAttempts());
        Set<String> slots = new HashSet<>();
        int again = 0;
        for (AcceptedCall call : receiver.calls()) {
            again += slots.add(call.key()) ? 0 : 1;
        }
        return again;
    }
}
