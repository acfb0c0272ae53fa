package io.twinbell.tools.drill.installed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.DrillTimeline;
import io.twinbell.tools.drill.ProcessSignals;
import io.twinbell.tools.drill.UndoStack;
import io.twinbell.tools.verify.VerificationResult;
import io.twinbell.tools.verify.Verifier;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Drills one fault on an installed pair: a task fires every 100 ms, the fault hits the master, the standby takes over,
 * the node returns, and the task's ledger is verified. It changes nothing else and needs no access to PostgreSQL or
 * ZooKeeper.
 */
public final class InstalledDrill {
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final Duration GLANCE = Duration.ofSeconds(2);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration RUN_ON = Duration.ofSeconds(3);
    private static final Duration VERIFIED = Duration.ofMinutes(10);
    private static final Duration ON_ITS_WAY = Duration.ofSeconds(2);
    private static final int WOUNDS = 20;
    private static final int PAGE = 1000;

    private final InstalledNode installed;
    private final ConditionPoll poll;
    private final DrillTimeline timeline;

    /**
     * The result of the drill.
     *
     * @param silenceMillis the longest time between two starts of the task, by the database's clock
     */
    public record Result(
            InstalledFault fault, String from, String to, long epoch, long silenceMillis, VerificationResult verdict) {
        public boolean passed() {
            return verdict.isSound();
        }
    }

    /** The two nodes before the fault. */
    private record Pair(String master, long epoch, String other, URI masterUrl, URI otherUrl) {}

    public InstalledDrill(InstalledNode installed, ConditionPoll poll, DrillTimeline timeline) {
        this.installed = installed;
        this.poll = poll;
        this.timeline = timeline;
    }

    /** @throws DrillException.Refused if nothing was done */
    public Result run(InstalledFault fault) throws DrillException, NodeException, IOException {
        Pair pair = pair(fault);
        ProcessHandle process = fault == InstalledFault.SWITCHOVER ? null : installed.process();
        String app = "drill-" + UUID.randomUUID().toString().substring(0, 8);
        NodeClient other = new NodeClient(pair.otherUrl(), ANSWER);
        try (UndoStack undo = new UndoStack(timeline::printProblem)) {
            undo.add("remove the tasks of " + app, () -> other.delete("/api/v1/tasks?app=" + app));
            other.post("/api/v1/tasks", beat(app));
            timeline.print("a task of " + app + " fires every 100 ms");
            poll.sleep(WARM_UP);
            strike(fault, pair, process, undo);
            poll.until("node " + pair.other() + " is MASTER", POLL_INTERVAL, () -> isMaster(pair.otherUrl()));
            timeline.print("node " + pair.other() + " is MASTER");
            heal(fault, pair, process);
            poll.until(
                    "node " + pair.master() + " is STANDBY",
                    POLL_INTERVAL,
                    () -> role(pair.masterUrl()).equals("STANDBY"));
            timeline.print("node " + pair.master() + " is STANDBY");
            poll.sleep(RUN_ON);
            VerificationResult verdict =
                    new Verifier(other, new Verifier.Scope(app, VERIFIED, ON_ITS_WAY, WOUNDS), onlooker()).verify();
            long epoch = self(pair.otherUrl()).path("epoch").asLong();
            return new Result(fault, pair.master(), pair.other(), epoch, silence(other, app), verdict);
        }
    }

    private Pair pair(InstalledFault fault) throws DrillException.Refused, NodeException {
        URI here = installed.address();
        JsonNode cluster = new NodeClient(here, ANSWER).get("/api/v1/cluster");
        String local = self(here).path("id").asText();
        Map<String, JsonNode> nodes = new TreeMap<>();
        cluster.path("nodes").forEach(node -> nodes.put(node.path("id").asText(), node));
        String master = cluster.path("master").asText("");
        JsonNode readiness = cluster.path("failoverReady");
        if (!nodes.containsKey(master)
                || nodes.size() != 2
                || !readiness.path("ready").asBoolean()) {
            throw new DrillException.Refused("the pair is not ready for a failover: " + readiness.path("reasons")
                    + "; see 'twinbell status' and 'twinbell doctor'");
        }
        if (cluster.hasNonNull("pause") || cluster.hasNonNull("hold")) {
            throw new DrillException.Refused(
                    "firing is paused or automatic takeover is on hold: run 'twinbell resume' or 'twinbell release'");
        }
        String other = nodes.keySet().stream()
                .filter(id -> !id.equals(master))
                .findFirst()
                .orElseThrow();
        URI masterUrl = url(nodes.get(master), here, local);
        if (fault != InstalledFault.SWITCHOVER && !master.equals(local)) {
            throw new DrillException.Refused("the master is node " + master + " (" + masterUrl
                    + "), but this machine has node " + local + ". Run 'twinbell drill " + fault.word()
                    + "' where node " + master + " is installed, or make this node master first: twinbell switchover");
        }
        return new Pair(master, cluster.path("epoch").asLong(), other, masterUrl, url(nodes.get(other), here, local));
    }

    private static URI url(JsonNode node, URI here, String local) {
        return node.path("id").asText().equals(local)
                ? here
                : URI.create(node.path("http").asText());
    }

    private void strike(InstalledFault fault, Pair pair, ProcessHandle process, UndoStack undo)
            throws DrillException, NodeException, IOException {
        switch (fault) {
            case SWITCHOVER -> {
                timeline.print("requested a switchover");
                new NodeClient(pair.masterUrl(), Duration.ofSeconds(30)).post("/api/v1/cluster/switchover");
            }
            case STOP, KILL -> {
                undo.add("start node " + pair.master() + " again", () -> startAgain(pair, process));
                ProcessSignals.send(fault == InstalledFault.KILL ? "KILL" : "TERM", process);
                timeline.print((fault == InstalledFault.KILL ? "killed node " : "sent SIGTERM to node ") + pair.master()
                        + ", pid " + process.pid());
            }
            case FREEZE -> {
                undo.add("resume node " + pair.master(), () -> ProcessSignals.send("CONT", process));
                ProcessSignals.send("STOP", process);
                timeline.print("froze node " + pair.master() + ", pid " + process.pid());
            }
        }
    }

    private void heal(InstalledFault fault, Pair pair, ProcessHandle process) throws DrillException, IOException {
        switch (fault) {
            case SWITCHOVER -> {}
            case STOP, KILL -> {
                poll.until(
                        "the process of node " + pair.master() + " has ended", POLL_INTERVAL, () -> !process.isAlive());
                startAgain(pair, process);
            }
            case FREEZE -> {
                ProcessSignals.send("CONT", process);
                timeline.print("resumed node " + pair.master());
            }
        }
    }

    /**
     * Starts the node again, also if the drill was broken off. The process may then still run, or systemd may have
     * started it.
     */
    private void startAgain(Pair pair, ProcessHandle process) throws DrillException.Failed, IOException {
        if (!process.isAlive() && role(pair.masterUrl()).isEmpty()) {
            timeline.print("started node " + pair.master());
            installed.start();
        }
    }

    private static boolean isMaster(URI node) {
        return role(node).equals("MASTER");
    }

    /** The node's role; empty if it does not answer. */
    private static String role(URI node) {
        try {
            return self(node).path("role").asText();
        } catch (NodeException e) {
            return "";
        }
    }

    private static JsonNode self(URI node) throws NodeException {
        return new NodeClient(node, GLANCE).get("/api/v1/cluster/self");
    }

    private static ObjectNode beat(String app) {
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", app).put("name", "beat");
        task.putObject("schedule").put("every", "PT0.1S").put("mode", "FIXED_RATE");
        task.putObject("handler").put("type", "java").put("key", "twinbell.noop");
        task.put("orphan", "RERUN").put("overlap", "ALLOW");
        task.putObject("misfire").put("policy", "FIRE_ONCE").put("threshold", "PT60S");
        return task;
    }

    private static long silence(NodeClient node, String app) throws NodeException {
        List<Long> started = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = node.get("/api/v1/executions?app=" + app + "&limit=" + PAGE + after);
            page.path("items").forEach(execution -> {
                if (execution.hasNonNull("startedAt")) {
                    started.add(
                            Instant.parse(execution.path("startedAt").asText()).toEpochMilli());
                }
            });
            after = page.hasNonNull("next") ? "&after=" + page.path("next").asText() : null;
        } while (after != null);
        started.sort(null);
        long longest = 0;
        for (int i = 1; i < started.size(); i++) {
            longest = Math.max(longest, started.get(i) - started.get(i - 1));
        }
        return longest;
    }

    private Verifier.ProgressListener onlooker() {
        return new Verifier.ProgressListener() {
            @Override
            public void at(long tasksDone, String task, double part) {
                // It is over within a moment.
            }

            @Override
            public void sleep(Duration time) {
                try {
                    poll.sleep(time);
                } catch (DrillException.Interrupted e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }
}
