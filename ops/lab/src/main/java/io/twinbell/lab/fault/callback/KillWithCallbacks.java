package io.twinbell.lab.fault.callback;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.lab.fault.CallbackReceiver;
import io.twinbell.lab.fault.CallbackReceiver.AcceptedCall;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fault: the master crashes while callbacks are out, and while further calls start. The successor takes over what is
 * out, so its receivers notice nothing; an attempt whose 202 was not recorded is an orphan.
 */
public final class KillWithCallbacks extends Fault {
    private static final int OUT = 200;
    private static final int STARTING = 100;
    private static final int SECOND_ANSWERS = 20;
    private static final Duration DUE_AFTER = Duration.ofSeconds(2);
    /** Time in which all calls are out before the next ones start. */
    private static final Duration OUT_WITHIN = Duration.ofSeconds(6);
    /** The kill strikes at a random moment of this time, which begins shortly before the calls are due. */
    private static final int MOMENT_MILLIS = 60;

    private static final int BEFORE_DUE_MILLIS = 20;

    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration OFTEN = Duration.ofMillis(50);
    private static final int OK = 200;
    private static final int OVER = 409;

    private CallbackTasks tasks;
    private CallbackReceiver receiver;
    private final Map<AcceptedCall, Integer> posted = new HashMap<>();

    public KillWithCallbacks() {
        super(
                "callback",
                "Kills the master with SIGKILL while " + OUT + " executions wait for a callback and " + STARTING
                        + " calls start; the outcomes are posted to the successor.",
                RoleEffect.SUCCESSOR);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, NodeException, IOException {
        posted.clear();
        receiver = CallbackReceiver.start(stage.pair().receiverHost());
        stage.undo().add("stop the receiver of callbacks", receiver::close);
        String app = "callback-" + Long.toHexString(stage.random().nextLong() >>> 32);
        tasks = new CallbackTasks(stage.pair().client(stage.roles().standby(), ANSWER), app);
        long dueMillis = stage.poll().wallMicros() / 1000 + DUE_AFTER.toMillis();
        long killMillis = dueMillis + OUT_WITHIN.toMillis();
        for (int i = 0; i < OUT + STARTING; i++) {
            String name = (i < OUT ? "out-" : "starting-") + i;
            tasks.add(name, receiver.url(i), i < OUT ? dueMillis : killMillis, i % 2 == 0 ? "DROP" : "RERUN");
        }
        tasks.create();
        stage.undo().add("remove the tasks with callbacks", tasks::remove);
        stage.poll().until(OUT + " executions wait for their callbacks", OFTEN, () -> tasks.parked() >= OUT);
        stage.expect(
                stage.poll().wallMicros() / 1000 < killMillis,
                OUT + " executions were parked only after " + (DUE_AFTER.toSeconds() + OUT_WITHIN.toSeconds()) + " s");
        stage.poll()
                .sleepUntil(
                        1000 * (killMillis - BEFORE_DUE_MILLIS + stage.random().nextInt(MOMENT_MILLIS)));
        stage.kill(stage.roles().master());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }

    @Override
    public void expect(DrillStage stage) throws DrillException, NodeException {
        AcceptedCall first = receiver.calls().get(0);
        int extended =
                tasks.heartbeat(first, JsonNodeFactory.instance.objectNode().put("progress", 0.5));
        stage.expect(extended == OK, "the successor answered " + extended + " to a heartbeat");
        stage.poll().until("each callback has its outcome", OFTEN, () -> {
            answerNewCalls();
            return tasks.areOver();
        });
        judge(stage, tasks.executions());
    }

    private void answerNewCalls() throws NodeException {
        for (AcceptedCall call : receiver.calls()) {
            if (!posted.containsKey(call)) {
                posted.put(call, tasks.complete(call, CallbackTasks.outcome("SUCCEEDED")));
            }
        }
    }

    private void judge(DrillStage stage, Map<String, JsonNode> executions) throws NodeException {
        List<AcceptedCall> calls = receiver.calls();
        stage.expect(receiver.repeatedAttempts().isEmpty(), "attempts called twice: " + receiver.repeatedAttempts());
        Map<Integer, Integer> callsByNumber = new HashMap<>();
        for (AcceptedCall call : calls) {
            callsByNumber.merge(call.number(), 1, Integer::sum);
        }
        int dropped = 0;
        int again = 0;
        for (int i = 0; i < OUT + STARTING; i++) {
            JsonNode execution = executions.get((i < OUT ? "out-" : "starting-") + i);
            String state = execution.path("state").asText();
            boolean mayDrop = i >= OUT && i % 2 == 0;
            stage.expect(
                    state.equals("SUCCEEDED") || mayDrop && state.equals("DROPPED"),
                    execution.path("name").asText() + " is " + state + ": "
                            + execution.path("reason").asText());
            int made = callsByNumber.getOrDefault(i, 0);
            boolean mayRepeat = i >= OUT && i % 2 == 1;
            stage.expect(
                    made <= (mayRepeat ? 2 : 1), execution.path("name").asText() + " was called " + made + " times");
            dropped += state.equals("DROPPED") ? 1 : 0;
            again += made > 1 ? 1 : 0;
        }
        for (AcceptedCall call : calls.subList(0, SECOND_ANSWERS)) {
            int status = tasks.complete(call, CallbackTasks.outcome("FAILED"));
            stage.expect(status == OVER, "a second outcome was answered " + status);
        }
        stage.print("callbacks " + OUT + " were out at the kill; of " + STARTING + " that started, " + dropped
                + " were dropped and " + again + " ran again");
    }
}
