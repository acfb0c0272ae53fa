package io.twinbell.lab.stage;

import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.NodeStatus;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.DrillTimeline;
import io.twinbell.tools.drill.ProcessSignals;
import io.twinbell.tools.drill.UndoStack;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * The pair during one round, with the actions that a fault may take. Everything broken here is repaired when the round
 * ends, however it ends.
 */
public final class DrillStage {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final Duration VERY_OFTEN = Duration.ofMillis(1);
    /** Poll interval, long enough that polling does not slow a takeover on two cores. */
    private static final Duration GENTLY = Duration.ofMillis(100);

    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final DrilledPair pair;
    private final RoleAssignment roles;
    private final ConditionPoll poll;
    private final DrillTimeline timeline;
    private final UndoStack undo;
    private final SplittableRandom random;
    private final List<Long> tasks = new ArrayList<>();
    private final List<DrillEvent> marks = new ArrayList<>();
    private final DatabaseTime databaseTime = new DatabaseTime();
    private final List<String> broken = new ArrayList<>();
    private final List<KilledNode> deaths = new ArrayList<>();
    private boolean wasReady;

    /** A node's process was killed; milliseconds since 1970. */
    public record KilledNode(String node, long byMillis) {}

    /** @param random for the round's random choices */
    public DrillStage(
            DrilledPair pair,
            RoleAssignment roles,
            ConditionPoll poll,
            DrillTimeline timeline,
            UndoStack undo,
            SplittableRandom random) {
        this.pair = pair;
        this.roles = roles;
        this.poll = poll;
        this.timeline = timeline;
        this.undo = undo;
        this.random = random;
    }

    public RoleAssignment roles() {
        return roles;
    }

    public DrilledPair pair() {
        return pair;
    }

    public ConditionPoll poll() {
        return poll;
    }

    /** The actions to undo however the round ends. */
    public UndoStack undo() {
        return undo;
    }

    /** The round's random numbers, derived from the drill's seed. */
    public SplittableRandom random() {
        return random;
    }

    /** The ids of the drill's tasks. */
    public List<Long> tasks() {
        return tasks;
    }

    public void print(String what) {
        timeline.print(what);
    }

    /** When the fault struck; {@link Long#MAX_VALUE} before. */
    public long faultMicros() {
        return marks.stream()
                .filter(DrillEvent::strikes)
                .mapToLong(DrillEvent::atMicros)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Notes that the drill has set the database's clock just now. */
    public void databaseClockIsAhead(Duration ahead) {
        databaseTime.isAhead(poll.wallMicros(), ahead);
    }

    public DatabaseTime databaseTime() {
        return databaseTime;
    }

    /** Marks all actions so far as preparation; the fault follows. */
    public void endPrelude() {
        marks.replaceAll(DrillEvent::asPrelude);
    }

    /** When the last strike was complete; {@link Long#MIN_VALUE} before the first. */
    public long doneMicros() {
        return marks.stream()
                .filter(DrillEvent::strikes)
                .mapToLong(DrillEvent::doneMicros)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    /** The time since the last repair. */
    public long millisSinceHealing() {
        long healedMicros = marks.stream()
                .filter(event -> !event.strikes())
                .mapToLong(DrillEvent::doneMicros)
                .max()
                .orElseThrow();
        return (poll.wallMicros() - healedMicros) / 1000;
    }

    /** When the last action of any kind was complete, so nothing breaks any more. Milliseconds since 1970. */
    public long overMillis() {
        return Math.floorDiv(
                marks.stream().mapToLong(DrillEvent::doneMicros).max().orElseThrow(), 1000L);
    }

    /** The actions in their order. */
    public List<DrillEvent> marks() {
        return List.copyOf(marks);
    }

    /** Records what the pair reported about its readiness some seconds before the fault. */
    public void saysReady(boolean isReady) {
        wasReady = isReady;
    }

    public boolean wasReady() {
        return wasReady;
    }

    /** The expectations besides the slots that the pair did not meet. */
    public List<String> broken() {
        return List.copyOf(broken);
    }

    /** An action that breaks or repairs something. */
    @FunctionalInterface
    public interface StageAction {
        void perform() throws DrillException, IOException;
    }

    /** Breaks something. The instant is taken before the action, so no effect can be earlier. */
    public void strike(String what, StageAction stageAction) throws DrillException, IOException {
        perform(what, true, stageAction);
    }

    /** Repairs something. */
    public void heal(String what, StageAction stageAction) throws DrillException, IOException {
        perform(what, false, stageAction);
    }

    private void perform(String what, boolean strikes, StageAction stageAction) throws DrillException, IOException {
        long now = poll.wallMicros();
        stageAction.perform();
        marks.add(new DrillEvent(now, poll.wallMicros(), what, strikes));
        timeline.print(now, what);
    }

    /** Records a failure of the pair unless the condition holds. The round goes on, and fails. */
    public void expect(boolean holds, String otherwise) {
        if (!holds) {
            broken.add(otherwise);
            timeline.print("unexpected: " + otherwise);
        }
    }

    public void kill(String node) throws DrillException, IOException {
        ProcessHandle process = process(node);
        startAgainAfterwards(node);
        strike("killed node " + node + ", pid " + process.pid(), process::destroyForcibly);
        deaths.add(new KilledNode(node, Math.floorDiv(doneMicros(), 1000L)));
    }

    /** The nodes killed by {@link #kill}, in order. */
    public List<KilledNode> deaths() {
        return List.copyOf(deaths);
    }

    public void terminate(String node) throws DrillException, IOException {
        ProcessHandle process = process(node);
        startAgainAfterwards(node);
        strike("sent SIGTERM to node " + node + ", pid " + process.pid(), process::destroy);
    }

    /** Freezes the processes until {@link #thaw}, or until the round ends. */
    public void freeze(String what, List<ProcessHandle> processes) throws DrillException, IOException {
        undo.add("thaw " + what, () -> ProcessSignals.sendAll("CONT", processes));
        strike("froze " + what, () -> {
            ProcessSignals.sendAll("STOP", processes);
            poll.until(
                    "each thread has stopped",
                    VERY_OFTEN,
                    () -> processes.stream().allMatch(ProcessSignals::isStopped));
        });
    }

    public void thaw(String what, List<ProcessHandle> processes) throws DrillException, IOException {
        heal("thawed " + what, () -> ProcessSignals.sendAll("CONT", processes));
    }

    /** Starts a node again once its process has ended. */
    public void start(String node) throws DrillException, IOException {
        poll.until(
                "the process of node " + node + " has ended",
                POLL_INTERVAL,
                () -> pair.process(node).isEmpty());
        pair.start(node);
        heal("started node " + node, () -> {});
    }

    /** Waits until the node may be master. The pair's own history gives the exact time. */
    public void awaitMaster(String node) throws DrillException {
        NodeClient client = pair.client(node, ANSWER);
        poll.sleep(GENTLY);
        poll.until(
                "node " + node + " is MASTER",
                GENTLY,
                () -> client.get("/health/master").path("master").asBoolean());
        print("node " + node + " is MASTER");
    }

    /** Waits until one node is master and the other is ready to take over; returns the master. */
    public String awaitBothNodes() throws DrillException {
        try {
            poll.until("a master and a standby", POLL_INTERVAL, () -> hasBothNodes());
        } catch (DrillException.Failed e) {
            throw new DrillException.Failed(e.getMessage() + ": "
                    + DrilledPair.NODES.stream().map(this::seen).collect(Collectors.joining("; ")));
        }
        return master().map(NodeStatus::id)
                .orElseThrow(() -> new DrillException.Failed("the master was lost again at once"));
    }

    /** The node's state as text, for messages. */
    private String seen(String node) {
        NodeStatus status = pair.snapshot().nodes().get(DrilledPair.NODES.indexOf(node));
        String role = pair.address(node) + (status.isReachable() ? " is " + status.role() : " does not answer");
        try {
            pair.client(node, ANSWER).get("/health/ready");
            return role + " and ready";
        } catch (NodeException e) {
            return role + " and not ready: " + e.getMessage();
        }
    }

    /** The epoch under which the pair fires now. */
    public long epoch() throws DrillException.Failed {
        return master().map(NodeStatus::epoch)
                .orElseThrow(() -> new DrillException.Failed("the master was lost again at once"));
    }

    public boolean hasBothNodes() throws NodeException {
        Optional<NodeStatus> master = master();
        return master.isPresent() && isReady(DrilledPair.other(master.get().id()));
    }

    /** The master on which both nodes agree. */
    public Optional<NodeStatus> master() {
        return pair.snapshot().master();
    }

    private boolean isReady(String node) throws NodeException {
        return pair.client(node, ANSWER)
                .get("/health/ready")
                .path("role")
                .asText()
                .equals("STANDBY");
    }

    public ProcessHandle process(String node) throws IOException, DrillException.Refused {
        return pair.process(node)
                .orElseThrow(() -> new DrillException.Refused("a process answers as node " + node + ", but it is"
                        + " not the process recorded in " + pair.run()));
    }

    private void startAgainAfterwards(String node) {
        undo.add("start node " + node + " again", () -> {
            if (pair.process(node).isEmpty()) {
                pair.start(node);
            }
        });
    }
}
