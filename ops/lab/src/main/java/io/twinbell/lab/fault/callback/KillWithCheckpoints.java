package io.twinbell.lab.fault.callback;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.lab.fault.CallbackReceiver;
import io.twinbell.lab.fault.CallbackReceiver.AcceptedCall;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Fault: the master crashes after the receivers have saved checkpoints. The second attempt of each execution must get
 * the latest checkpoint: that of an orphan, whose call was not answered, and that of an attempt which fails later.
 */
public final class KillWithCheckpoints extends Fault {
    private static final int TASKS = 100;
    /** What a checkpoint that comes with an outcome adds to the one of the heartbeat before. */
    private static final int LATER = 1000;

    private static final Duration DUE_AFTER = Duration.ofSeconds(2);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration OFTEN = Duration.ofMillis(50);
    private static final int OK = 200;

    private final Set<AcceptedCall> posted = new HashSet<>();
    private CallbackTasks tasks;
    private CallbackReceiver receiver;

    public KillWithCheckpoints() {
        super(
                "checkpoint",
                "Kills the master with SIGKILL after " + TASKS + " executions have saved a checkpoint; their next"
                        + " attempts must get it.",
                RoleEffect.SUCCESSOR);
    }

    /** Calls with even numbers get no answer, so their attempts are orphans of the killed master. */
    private static boolean isKept(int number) {
        return number % 2 == 0;
    }

    /** The outcome of every second accepted attempt has a later checkpoint. */
    private static boolean savesAtTheEnd(int number) {
        return number % 4 == 1;
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, NodeException, IOException {
        posted.clear();
        receiver = CallbackReceiver.start(stage.pair().receiverHost());
        stage.undo().add("stop the receiver of callbacks", receiver::close);
        String app = "checkpoint-" + Long.toHexString(stage.random().nextLong() >>> 32);
        tasks = new CallbackTasks(stage.pair().client(stage.roles().standby(), ANSWER), app);
        long dueMillis = stage.poll().wallMicros() / 1000 + DUE_AFTER.toMillis();
        for (int i = 0; i < TASKS; i++) {
            String url = isKept(i) ? receiver.keepingUrl(i) : receiver.url(i);
            ObjectNode task = tasks.add("page-" + i, url, dueMillis, isKept(i) ? "RERUN" : "DROP");
            task.putObject("retry").put("maxAttempts", isKept(i) ? 1 : 2).put("backoff", "PT1S");
        }
        tasks.create();
        stage.undo().add("remove the tasks with checkpoints", tasks::remove);
        stage.poll()
                .until(
                        TASKS + " calls have arrived, and those with an answer are parked",
                        OFTEN,
                        () -> receiver.calls().size() >= TASKS && tasks.parked() >= TASKS / 2);
        for (AcceptedCall call : receiver.calls()) {
            ObjectNode progress = JsonNodeFactory.instance.objectNode().put("message", "saved");
            progress.putObject("checkpoint").put("page", call.number());
            int status = tasks.heartbeat(call, progress);
            stage.expect(status == OK, "a heartbeat with a checkpoint was answered " + status);
        }
        stage.kill(stage.roles().master());
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }

    @Override
    public void expect(DrillStage stage) throws DrillException, NodeException {
        stage.poll().until("each execution has its outcome", OFTEN, () -> {
            answerNewCalls();
            return tasks.areOver();
        });
        judge(stage, tasks.executions());
    }

    /** The first attempts that were accepted fail, and every second attempt succeeds. */
    private void answerNewCalls() throws NodeException {
        for (AcceptedCall call : receiver.calls()) {
            boolean isOrphan = call.attempt() == 1 && isKept(call.number());
            if (!isOrphan && posted.add(call)) {
                ObjectNode outcome = CallbackTasks.outcome(call.attempt() == 1 ? "FAILED" : "SUCCEEDED");
                if (call.attempt() == 1 && savesAtTheEnd(call.number())) {
                    outcome.putObject("checkpoint").put("page", call.number() + LATER);
                }
                tasks.complete(call, outcome);
            }
        }
    }

    private void judge(DrillStage stage, Map<String, JsonNode> executions) {
        stage.expect(receiver.repeatedAttempts().isEmpty(), "attempts called twice: " + receiver.repeatedAttempts());
        int handed = 0;
        for (AcceptedCall call : receiver.calls()) {
            if (call.attempt() > 1) {
                int page = call.number() + (savesAtTheEnd(call.number()) ? LATER : 0);
                String expected = "{\"page\":" + page + "}";
                boolean isLatest = call.checkpoint() != null
                        && call.checkpoint().replace(" ", "").equals(expected);
                stage.expect(
                        isLatest, call.key() + " got the checkpoint " + call.checkpoint() + " and not " + expected);
                handed += isLatest ? 1 : 0;
            }
        }
        executions.forEach((name, execution) -> stage.expect(
                execution.path("state").asText().equals("SUCCEEDED")
                        && execution.path("attempt").asInt() == 2,
                name + " is " + execution.path("state").asText() + " in attempt " + execution.path("attempt")));
        stage.expect(handed == TASKS, handed + " of " + TASKS + " second attempts got their checkpoint");
        stage.print("checkpoints " + handed + " of " + TASKS + " reached the second attempt, " + TASKS / 2
                + " of them that of an orphan");
    }
}
