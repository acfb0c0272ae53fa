package io.twinbell.ops.drill;

import io.twinbell.ops.client.NodeClient;
import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.client.PairStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The pair in one round, and what can be done to it. What is broken here is mended when the round ends, however it does. */
final class Stage {
    private static final Duration OFTEN = Duration.ofMillis(20);
    private static final Duration ANSWER = Duration.ofSeconds(1);
    private static final Duration SWITCHOVER = Duration.ofSeconds(30);

    private final LocalPair pair;
    private final Cast cast;
    private final Watch watch;
    private final Timeline timeline;
    private final TidyUp tidyUp;
    private long faultMicros = Long.MAX_VALUE;

    Stage(LocalPair pair, Cast cast, Watch watch, Timeline timeline, TidyUp tidyUp) {
        this.pair = pair;
        this.cast = cast;
        this.watch = watch;
        this.timeline = timeline;
        this.tidyUp = tidyUp;
    }

    Cast cast() {
        return cast;
    }

    void tell(String what) {
        timeline.tell(what);
    }

    /** When the fault struck; {@link Long#MAX_VALUE} before. */
    long faultMicros() {
        return faultMicros;
    }

    /** The moment is taken before the deed: what follows from it cannot be earlier. */
    private void strike(String what, Deed deed) throws DrillException, IOException {
        long now = watch.wallMicros();
        deed.perform();
        faultMicros = Math.min(faultMicros, now);
        timeline.tell(now, what);
    }

    /** What strikes. */
    @FunctionalInterface
    private interface Deed {
        void perform() throws DrillException, IOException;
    }

    void kill(String node) throws DrillException, IOException {
        ProcessHandle process = process(node);
        startAgainAfterwards(node);
        strike("killed node " + node + ", pid " + process.pid(), process::destroyForcibly);
    }

    void killBoth() throws DrillException, IOException {
        ProcessHandle standby = process(cast.standby());
        startAgainAfterwards(cast.standby());
        kill(cast.master());
        strike("killed node " + cast.standby() + ", pid " + standby.pid(), standby::destroyForcibly);
    }

    void terminate(String node) throws DrillException, IOException {
        ProcessHandle process = process(node);
        startAgainAfterwards(node);
        strike("sent SIGTERM to node " + node + ", pid " + process.pid(), process::destroy);
    }

    void freeze(String node) throws DrillException, IOException {
        ProcessHandle process = process(node);
        tidyUp.afterwards("thaw node " + node, () -> Signals.send("CONT", process));
        strike("froze node " + node + ", pid " + process.pid(), () -> Signals.send("STOP", process));
    }

    void thaw(String node) throws DrillException, IOException {
        Signals.send("CONT", process(node));
        tell("thawed node " + node);
    }

    /** Starts a node again once its process has ended. */
    void start(String node) throws DrillException, IOException {
        watch.until("the process of node " + node + " has ended", OFTEN, () -> hasEnded(node));
        pair.start(node);
        tell("started node " + node);
    }

    void startBoth() throws DrillException, IOException {
        start(cast.master());
        start(cast.standby());
    }

    void switchOver() throws DrillException, NodeException, IOException {
        NodeClient master = new NodeClient(pair.address(cast.master()), SWITCHOVER);
        strike("asked for a switchover", () -> {});
        master.post("/api/v1/cluster/switchover");
    }

    void endSessions() throws DrillException, IOException {
        List<ProcessHandle> sessions = pair.servers().databaseSessions();
        strike("ended " + sessions.size() + " sessions of PostgreSQL", () -> Signals.sendAll("TERM", sessions));
    }

    void crashDatabase() throws DrillException, IOException {
        ProcessHandle session = pair.servers().databaseSessions().get(0);
        strike("killed a server process of PostgreSQL, pid " + session.pid(), () -> Signals.send("KILL", session));
    }

    void freezeDatabase() throws DrillException, IOException {
        List<ProcessHandle> processes = pair.servers().database();
        tidyUp.afterwards("thaw PostgreSQL", () -> Signals.sendAll("CONT", processes));
        strike("froze PostgreSQL, " + processes.size() + " processes", () -> Signals.sendAll("STOP", processes));
    }

    void thawDatabase() throws DrillException, IOException {
        Signals.sendAll("CONT", pair.servers().database());
        tell("thawed PostgreSQL");
    }

    void freezeZooKeeper() throws DrillException, IOException {
        ProcessHandle zooKeeper = pair.servers().zooKeeper();
        tidyUp.afterwards("thaw ZooKeeper", () -> Signals.send("CONT", zooKeeper));
        strike("froze ZooKeeper, pid " + zooKeeper.pid(), () -> Signals.send("STOP", zooKeeper));
    }

    void thawZooKeeper() throws DrillException, IOException {
        Signals.send("CONT", pair.servers().zooKeeper());
        tell("thawed ZooKeeper");
    }

    void awaitRole(String node, String role) throws DrillException {
        NodeClient client = new NodeClient(pair.address(node), ANSWER);
        watch.until(
                "node " + node + " is " + role,
                OFTEN,
                () -> client.get("/api/v1/cluster/self").path("role").asText().equals(role));
        tell("node " + node + " is " + role);
    }

    /** Until one node is master and the other is ready to follow; returns the master. */
    String awaitWhole() throws DrillException {
        watch.until("a master and a standby", OFTEN, () -> master() != null && isReady(LocalPair.other(master())));
        String master = master();
        if (master == null) {
            throw new DrillException.Failed("the master went as soon as it had come");
        }
        return master;
    }

    private String master() {
        return PairStatus.of(pair.addresses()).master().map(node -> node.id()).orElse(null);
    }

    private boolean isReady(String node) throws NodeException {
        return new NodeClient(pair.address(node), ANSWER)
                .get("/health/ready")
                .path("role")
                .asText()
                .equals("STANDBY");
    }

    private boolean hasEnded(String node) {
        try {
            return pair.process(node).isEmpty();
        } catch (IOException cannotTell) {
            return false;
        }
    }

    private ProcessHandle process(String node) throws IOException, DrillException.Refused {
        return pair.process(node)
                .orElseThrow(() -> new DrillException.Refused("something answers as node " + node
                        + ", but it is not the process that " + pair.run() + " names"));
    }

    private void startAgainAfterwards(String node) {
        tidyUp.afterwards("start node " + node + " again", () -> {
            if (pair.process(node).isEmpty()) {
                pair.start(node);
            }
        });
    }
}
