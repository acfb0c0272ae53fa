package io.twinbell.lab.fault.database;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.server.DatabaseOperator.Waiting;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fault: API requests hold every connection of the nodes' API pools, by editing a task whose row an application has
 * locked. Firing, heartbeats and takeovers use other connections.
 */
public final class ExhaustPool extends Fault {
    private static final Duration EXHAUSTED = Duration.ofSeconds(15);
    private static final Duration AFTER_THE_KILL = Duration.ofSeconds(3);
    /** More requests than a node has pool connections, and fewer than it serves at once. */
    private static final int PEOPLE = 20;

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
    private static final Duration BETWEEN = Duration.ofMillis(500);
    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final Duration ANSWER_FROM_THE_POOL = Duration.ofSeconds(10);
    private static final Duration UNTIL_EXHAUSTED = Duration.ofSeconds(1);

    private final boolean alsoKills;
    private final Map<String, RequestFlood> floods = new LinkedHashMap<>();
    private DatabaseOperator.HeldResource held;
    private OptionalLong delayed = OptionalLong.empty();

    /** @param alsoKills whether the master is killed meanwhile */
    public ExhaustPool(boolean alsoKills) {
        super(
                alsoKills ? "kill-with-exhausted-pool" : "exhaust-pool",
                "Sends " + PEOPLE + " requests to each node that edit a task whose row is locked, so that they"
                        + " occupy every connection of its pool, "
                        + (alsoKills
                                ? "and kills the master."
                                : "for " + EXHAUSTED.toSeconds() + " s; no other task may be late because of it."),
                alsoKills ? RoleEffect.SUCCESSOR : RoleEffect.SAME_MASTER);
        this.alsoKills = alsoKills;
    }

    /**
     * Observations of a node while its pool is exhausted.
     *
     * @param looks the number of looks
     * @param exhausted how often all sessions of the pool waited
     * @param refused how often a request for unlocked data was refused with the advice to retry; the others waited until a
     *     connection was free
     * @param silent how often the node did not report its state
     * @param oldestBeatMillis the highest age of its heartbeat as a master
     */
    record PoolObservation(int looks, int exhausted, int refused, int silent, long oldestBeatMillis) {
        /** A master sends a heartbeat every three seconds and counts as dead after four. */
        private static final long ALIVE_MILLIS = 4000;

        List<String> complaints(String node) {
            List<String> complaints = new ArrayList<>();
            if (exhausted * 2 < looks) {
                complaints.add("the pool of node " + node + " was exhausted at " + exhausted + " of " + looks
                        + " looks, so the fault missed its target");
            }
            if (silent > 0) {
                complaints.add("node " + node + " did not report its state in " + silent + " of " + looks + " looks");
            }
            if (oldestBeatMillis > ALIVE_MILLIS) {
                complaints.add("the heartbeat of node " + node + " was " + oldestBeatMillis + " ms old");
            }
            return complaints;
        }

        PoolObservation and(PoolObservation other) {
            return new PoolObservation(
                    looks + other.looks,
                    exhausted + other.exhausted,
                    refused + other.refused,
                    silent + other.silent,
                    Math.max(oldestBeatMillis, other.oldestBeatMillis));
        }
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return alsoKills ? Optional.empty() : Optional.of(Duration.ofSeconds(1));
    }

    /** Far below the timeout of the dead node's ZooKeeper session. */
    @Override
    public Optional<Duration> quietIfReady() {
        return alsoKills ? Optional.of(Duration.ofSeconds(3)) : Optional.empty();
    }

    @Override
    public OptionalLong delayed() {
        return alsoKills ? OptionalLong.empty() : delayed;
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        long task = stage.tasks().get(0);
        delayed = OptionalLong.of(task);
        stage.undo().add("release the row", this::releaseLock);
        if (alsoKills) {
            gather(stage, task);
            stage.kill(stage.roles().master());
            stage.awaitMaster(stage.roles().standby());
            stage.poll().sleep(AFTER_THE_KILL);
        } else {
            stage.strike("locked the row of task " + task + ", which requests edit", () -> gather(stage, task));
            watchNodes(stage);
        }
        endRequests(stage);
    }

    private void gather(DrillStage stage, long task) throws DrillException, IOException {
        held = stage.pair().database().lockTask(task);
        floods.clear();
        for (String node : DrilledPair.NODES) {
            URI address = stage.pair().address(node);
            String patch = "{\"owner\":\"somebody at node " + node + "\"}";
            floods.put(
                    node,
                    RequestFlood.gather(
                            PEOPLE,
                            address.resolve("/api/v1/tasks/" + task),
                            stage.pair().tokens().token(address),
                            patch));
        }
        for (String node : DrilledPair.NODES) {
            stage.poll()
                    .until(
                            "requests occupy every connection of node " + node,
                            POLL_INTERVAL,
                            () -> isExhausted(stage.pair().database().poolOf(node)));
        }
        stage.poll().sleep(UNTIL_EXHAUSTED);
        stage.print("requests occupy every connection of both nodes' pools");
    }

    /**
     * Whether every session of the pool waits. A pool grows on demand, so with one waiting session others may be about
     * to open.
     */
    private static boolean isExhausted(Waiting pool) {
        return pool.sessions() > 1 && pool.waiting() == pool.sessions();
    }

    private static void watchNodes(DrillStage stage) throws DrillException, IOException {
        Map<String, PoolObservation> seen = new LinkedHashMap<>();
        long until = stage.poll().wallMicros() + EXHAUSTED.toMillis() * 1000;
        while (stage.poll().wallMicros() < until) {
            for (String node : DrilledPair.NODES) {
                seen.merge(node, observe(stage, node), PoolObservation::and);
            }
            stage.poll().sleep(BETWEEN);
        }
        seen.forEach((node, all) -> {
            stage.print("observed on node " + node + ": " + all);
            all.complaints(node).forEach(complaint -> stage.expect(false, complaint));
        });
    }

    private static PoolObservation observe(DrillStage stage, String node) throws IOException {
        NodeClient client = stage.pair().client(node, ANSWER);
        long beat = 0;
        int silent = 0;
        try {
            JsonNode self = client.get("/api/v1/cluster/self");
            beat = self.path("role").asText().equals("MASTER")
                    ? self.path("heartbeatAgeMillis").asLong()
                    : 0;
            client.get("/health/ready");
        } catch (NodeException e) {
            silent = 1;
        }
        int exhausted = isExhausted(stage.pair().database().poolOf(node)) ? 1 : 0;
        return new PoolObservation(1, exhausted, isRefused(stage, node) ? 1 : 0, silent, beat);
    }

    private static boolean isRefused(DrillStage stage, String node) {
        try {
            stage.pair().client(node, ANSWER_FROM_THE_POOL).get("/api/v1/tasks?limit=1");
            return false;
        } catch (NodeException e) {
            return e instanceof NodeException.Unavailable;
        }
    }

    /** Ends the requests before the lock, so that none of their edits takes effect. */
    private void endRequests(DrillStage stage) throws DrillException, IOException {
        floods.values().forEach(RequestFlood::stop);
        for (RequestFlood requestFlood : floods.values()) {
            requestFlood.awaitEmpty(stage.poll());
        }
        stage.expect(
                floods.values().stream().allMatch(requestFlood -> requestFlood.served() == 0),
                "a request edited a task whose row was locked");
        stage.heal("released the row after the requests had ended", this::releaseLock);
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        if (alsoKills) {
            stage.start(stage.roles().master());
        }
    }

    /**
     * Checks the verdict on the killed master: the waiting sessions must not make a dead master look like a lost one.
     */
    @Override
    public void expect(DrillStage stage) throws DrillException, NodeException {
        if (alsoKills && stage.wasReady()) {
            String why = reason(
                    stage.pair()
                            .client(stage.roles().standby(), ANSWER)
                            .get("/api/v1/cluster")
                            .path("history"),
                    stage.roles().standby());
            stage.print("node " + stage.roles().standby() + " took over: " + why);
            stage.expect(
                    isProven(why, stage.roles().master()),
                    "node " + stage.roles().master() + " was not proven dead: " + why);
        }
    }

    /** The reason of the node's latest promotion. The history is ordered newest first. */
    static String reason(JsonNode history, String node) {
        for (JsonNode entry : history) {
            if (entry.path("node").asText().equals(node)
                    && entry.path("to").asText().equals("MASTER")) {
                return entry.path("reason").asText();
            }
        }
        return "the history names no reason";
    }

    static boolean isProven(String reason, String dead) {
        return reason.startsWith(dead + " is dead");
    }

    private void releaseLock() throws IOException {
        floods.values().forEach(RequestFlood::stop);
        if (held != null) {
            held.close();
            held = null;
        }
    }

    /** Many clients that send the same request to a node, and repeat it as soon as it is answered. */
    private static final class RequestFlood {
        private static final Duration ANSWER = Duration.ofSeconds(15);
        /** Pause after a refused connection, so that a client does not retry in a tight loop. */
        private static final long AFTER_SILENCE_MILLIS = 100;

        private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

        private final HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        private final HttpRequest request;
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger served = new AtomicInteger();
        private volatile boolean goesHome;

        private RequestFlood(HttpRequest request) {
            this.request = request;
        }

        /** Starts the clients; each sends the merge patch. */
        static RequestFlood gather(int size, URI resource, Optional<String> token, String patch) {
            HttpRequest.Builder request = HttpRequest.newBuilder(resource)
                    .timeout(ANSWER)
                    .header("Content-Type", "application/merge-patch+json")
                    .method("PATCH", BodyPublishers.ofString(patch));
            token.ifPresent(known -> request.header("Authorization", "Bearer " + known));
            RequestFlood requestFlood = new RequestFlood(request.build());
            requestFlood.waiting.set(size);
            for (int i = 0; i < size; i++) {
                requestFlood.ask();
            }
            return requestFlood;
        }

        private void ask() {
            client.sendAsync(request, BodyHandlers.discarding()).whenComplete(this::answered);
        }

        private void answered(HttpResponse<Void> answer, Throwable silence) {
            if (answer != null && answer.statusCode() / 100 == 2) {
                served.incrementAndGet();
            }
            if (goesHome) {
                waiting.decrementAndGet();
            } else if (silence == null) {
                ask();
            } else {
                CompletableFuture.delayedExecutor(AFTER_SILENCE_MILLIS, TimeUnit.MILLISECONDS)
                        .execute(this::ask);
            }
        }

        /** The number of successful requests. */
        int served() {
            return served.get();
        }

        /** Stops further requests. */
        void stop() {
            goesHome = true;
        }

        /** Returns when every request has been answered. */
        void awaitEmpty(ConditionPoll poll) throws DrillException, IOException {
            poll.until("every request to a node has a response", POLL_INTERVAL, () -> waiting.get() == 0);
        }
    }
}
