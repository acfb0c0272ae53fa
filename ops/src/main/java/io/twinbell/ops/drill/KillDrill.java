package io.twinbell.ops.drill;

import io.twinbell.ops.check.WatchedTask;
import io.twinbell.ops.client.NodeClient;
import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.client.PairStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;

/** Tasks run, the master is killed, the standby takes over, the killed node comes back, and all of it is checked. */
final class KillDrill {
    private static final Duration SET_UP = Duration.ofSeconds(3);
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    /** The kill comes somewhere in here, after the warm-up. */
    private static final Duration ANY_MOMENT = Duration.ofSeconds(3);

    private static final Duration ONE_SHOTS_WITHIN = Duration.ofSeconds(20);
    private static final Duration RUN_ON = Duration.ofSeconds(3);
    private static final Duration OFTEN = Duration.ofMillis(20);
    private static final Duration SELDOM = Duration.ofMillis(200);
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final LocalPair pair;
    private final Options options;
    private final PrintWriter complaints;
    private final Watch watch = new Watch();
    private final Timeline timeline;

    /** @param keep whether the tasks stay, paused, when it is over */
    record Options(int tasks, boolean keep) {}

    KillDrill(LocalPair pair, Options options, PrintWriter progress, PrintWriter complaints) {
        this.pair = pair;
        this.options = options;
        this.complaints = complaints;
        timeline = new Timeline(progress, watch::wallMicros);
    }

    /** Who would be killed, and who would take over. */
    Cast cast() throws DrillException.Refused {
        return Cast.of(pair, PairStatus.of(pair.addresses()));
    }

    /** One round. Whatever happens in it, the pair is whole again and the tasks do not fire any more afterwards. */
    Round round(Cast cast, SplittableRandom random) throws DrillException, NodeException, IOException {
        ProcessHandle master = process(cast.master());
        process(cast.standby());
        String app = "drill-" + UUID.randomUUID().toString().substring(0, 8);
        Evidence evidence = Evidence.of(pair.run(), app);
        Nodes nodes = nodes(random, app);
        try (TidyUp tidyUp = new TidyUp(complaints)) {
            ReceiverProcess receiver = ReceiverProcess.start(evidence.receiverLog());
            tidyUp.afterwards("end the receiver", receiver::close);
            tidyUp.afterwards("stop the drill's tasks", () -> stop(nodes));
            long startMillis = wallMillis() + SET_UP.toMillis();
            CreatedTasks tasks =
                    create(nodes, new DrillTasks(random, app, receiver.url(), startMillis, ONE_SHOTS_WITHIN));
            timeline.tell(options.tasks() + " tasks of " + app + " wait for their start");

            long moment = (startMillis + WARM_UP.toMillis()) * 1000 + random.nextLong(ANY_MOMENT.toNanos() / 1000);
            watch.restUntil(moment);
            tidyUp.afterwards("start node " + cast.master() + " again", () -> startAgain(cast.master()));
            Round.Scene scene = kill(cast, master, evidence);
            awaitTakeover(cast, nodes);
            bringBack(cast.master());
            watch.rest(RUN_ON);
            long stoppedMillis = wallMillis();
            List<WatchedTask> watched = stopAndWatch(nodes, tasks, stoppedMillis);
            return Round.of(
                    cast,
                    scene,
                    new Judge(nodes, evidence, watch)
                            .judge(cast, watched, startMillis - SET_UP.toMillis(), stoppedMillis));
        }
    }

    private ProcessHandle process(String node) throws IOException, DrillException.Refused {
        return pair.process(node)
                .orElseThrow(() -> new DrillException.Refused("something answers as node " + node
                        + ", but it is not the process that " + pair.run() + " names"));
    }

    /** Either node takes the tasks; the other answers when that one has been killed. */
    private Nodes nodes(SplittableRandom random, String app) {
        String entry = LocalPair.NODES.get(random.nextInt(LocalPair.NODES.size()));
        return new Nodes(List.of(pair.address(entry), pair.address(LocalPair.other(entry))), app);
    }

    private CreatedTasks create(Nodes nodes, DrillTasks tasks) throws DrillException.Failed, NodeException {
        return CreatedTasks.in(nodes, tasks.make(options.tasks()));
    }

    private Round.Scene kill(Cast cast, ProcessHandle master, Evidence evidence) {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        long killMicros = watch.wallMicros();
        master.destroyForcibly();
        timeline.tell(
                killMicros,
                "killed the master: node " + cast.master() + ", pid " + master.pid() + ", epoch " + cast.epoch());
        return new Round.Scene(evidence.directory(), killMicros, load);
    }

    private void awaitTakeover(Cast cast, Nodes nodes) throws DrillException {
        awaitRole(cast.standby(), "MASTER");
        timeline.tell("node " + cast.standby() + " is master");
        watch.until(
                "the new master has caught up and settled what was in flight",
                SELDOM,
                () -> nodes.hasCaughtUp(cast.epoch(), wallMillis() - SELDOM.toMillis()));
        timeline.tell("it has caught up, and settled what was in flight");
    }

    private void bringBack(String node) throws DrillException, IOException {
        pair.start(node);
        awaitRole(node, "STANDBY");
        timeline.tell("node " + node + " is back as standby");
    }

    private void awaitRole(String node, String role) throws DrillException {
        NodeClient client = new NodeClient(pair.address(node), ANSWER);
        watch.until(
                "node " + node + " is " + role,
                OFTEN,
                () -> client.get("/api/v1/cluster/self").path("role").asText().equals(role));
    }

    private List<WatchedTask> stopAndWatch(Nodes nodes, CreatedTasks tasks, long stoppedMillis)
            throws DrillException, NodeException {
        nodes.pause();
        watch.until("nothing is in flight", SELDOM, nodes::isQuiet);
        Map<Long, OptionalLong> standing = CreatedTasks.nextFireTimes(nodes);
        stop(nodes);
        timeline.tell("the tasks are stopped, and nothing is in flight");
        return tasks.watched(stoppedMillis, standing, !options.keep());
    }

    private void stop(Nodes nodes) throws NodeException {
        if (options.keep()) {
            nodes.pause();
        } else {
            nodes.remove();
        }
    }

    private void startAgain(String node) throws IOException, DrillException.Failed {
        if (pair.process(node).isEmpty()) {
            pair.start(node);
        }
    }

    private long wallMillis() {
        return watch.wallMicros() / 1000;
    }
}
