package io.twinbell.ops.drill;

import io.twinbell.ops.check.WatchedTask;
import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.client.PairStatus;
import io.twinbell.ops.drill.fault.Fault;
import io.twinbell.ops.drill.stage.Cast;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.DrilledPair;
import io.twinbell.ops.drill.stage.Stage;
import io.twinbell.ops.drill.stage.TidyUp;
import io.twinbell.ops.drill.stage.Timeline;
import io.twinbell.ops.drill.stage.Watch;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;

/** Tasks run, a fault strikes, the pair gets over it and is made whole again, and all of it is checked. */
final class FaultDrill {
    private static final Duration SET_UP = Duration.ofSeconds(3);
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    /** The fault comes somewhere in here, after the warm-up. */
    private static final Duration ANY_MOMENT = Duration.ofSeconds(3);

    private static final Duration ONE_SHOTS_WITHIN = Duration.ofSeconds(20);
    private static final Duration RUN_ON = Duration.ofSeconds(3);
    /** A master that is never further behind than this has caught up: on a busy machine it is always a little late. */
    private static final Duration BEHIND_AT_MOST = Duration.ofSeconds(1);

    private static final Duration SELDOM = Duration.ofMillis(200);

    private final DrilledPair pair;
    private final Options options;
    private final Watch watch;
    private final Timeline timeline;

    /**
     * How it is drilled.
     *
     * @param keep whether the tasks stay, paused, when it is over
     * @param evidence where the rounds leave what they saw
     */
    record Options(int tasks, boolean keep, Path evidence) {}

    FaultDrill(DrilledPair pair, Options options, Watch watch, Timeline timeline) {
        this.pair = pair;
        this.options = options;
        this.watch = watch;
        this.timeline = timeline;
    }

    /** Who is master, and who would take over. */
    Cast cast() throws DrillException.Refused {
        return Cast.of(pair, PairStatus.of(pair.addresses()));
    }

    /** One round. Whatever happens in it, the pair is whole again and the tasks do not fire any more afterwards. */
    Round round(Fault fault, Cast cast, SplittableRandom random) throws DrillException, NodeException, IOException {
        String app = "drill-" + UUID.randomUUID().toString().substring(0, 8);
        Evidence evidence = Evidence.of(options.evidence(), app);
        try (TidyUp tidyUp = new TidyUp(timeline::complain)) {
            Stage stage = new Stage(pair, cast, watch, timeline, tidyUp, random.split());
            try {
                return play(fault, stage, app, evidence, random);
            } catch (DrillException | NodeException | IOException | RuntimeException e) {
                try {
                    evidence.brokenOff(fault.name(), cast, stage.marks(), String.valueOf(e.getMessage()));
                } catch (IOException unwritten) {
                    e.addSuppressed(unwritten);
                }
                throw e;
            }
        }
    }

    private Round play(Fault fault, Stage stage, String app, Evidence evidence, SplittableRandom random)
            throws DrillException, NodeException, IOException {
        fault.prepare(stage);
        // A frozen node keeps everybody waiting who asks it.
        Nodes nodes = nodes(stage.cast().standby(), app);
        ReceiverProcess receiver = ReceiverProcess.start(evidence.receiverLog(), pair.receiverHost());
        stage.tidyUp().afterwards("end the receiver", receiver::close);
        stage.tidyUp().afterwards("stop the drill's tasks", () -> stop(nodes));
        long startMillis = wallMillis() + SET_UP.toMillis();
        CreatedTasks tasks =
                create(random, app, new DrillTasks(random, app, receiver.url(), startMillis, ONE_SHOTS_WITHIN));
        stage.tasks().addAll(tasks.ids());
        timeline.tell(tasks.ids().size() + " tasks of " + app + " wait for their start");

        long moment = (startMillis + WARM_UP.toMillis()) * 1000 + random.nextLong(ANY_MOMENT.toNanos() / 1000);
        stage.saysReady(nodes.cluster().path("failoverReady").path("ready").asBoolean());
        watch.restUntil(moment);
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        PageDrill pages = PageDrill.begin(fault, stage);
        getOver(fault, stage, nodes);
        pages.judge(evidence.directory());
        watch.rest(RUN_ON);
        long stoppedMillis = wallMillis();
        List<WatchedTask> watched = stopAndWatch(nodes, tasks, stoppedMillis);
        awaitPassedSlots();
        Judge.Verdict verdict = new Judge(nodes, evidence, watch, fault)
                .judge(stage, watched, startMillis - SET_UP.toMillis(), stoppedMillis);
        Round round = Round.of(
                stage.cast(), new Round.Scene(fault.name(), evidence.directory(), stage.marks(), load), verdict);
        evidence.report(round, verdict);
        return round;
    }

    private void getOver(Fault fault, Stage stage, Nodes nodes) throws DrillException, NodeException, IOException {
        Cast cast = stage.cast();
        fault.strike(stage);
        if (fault.aftermath() == Fault.Aftermath.SUCCESSOR) {
            stage.awaitMaster(cast.standby());
            awaitCaughtUp(nodes, cast.epoch());
        }
        watch.rest(fault.lasts());
        fault.heal(stage);
        fault.expect(stage);
        timeline.tell("node " + stage.awaitWhole() + " is master, and the other one is standby");
        awaitCaughtUp(nodes, stage.epoch() - 1);
    }

    private void awaitCaughtUp(Nodes nodes, long settledEpoch) throws DrillException {
        watch.until(
                "the master has caught up and settled what was in flight",
                SELDOM,
                () -> nodes.hasCaughtUp(settledEpoch, wallMillis() - BEHIND_AT_MOST.toMillis()));
        timeline.tell("it has caught up, and settled what was in flight");
    }

    /** Whom to ask first, and who answers when that one does not. */
    private Nodes nodes(String first, String app) {
        return new Nodes(List.of(pair.address(first), pair.address(DrilledPair.other(first))), app);
    }

    /** Either node takes the tasks. */
    private CreatedTasks create(SplittableRandom random, String app, DrillTasks tasks)
            throws DrillException.Failed, NodeException {
        String entry = DrilledPair.NODES.get(random.nextInt(DrilledPair.NODES.size()));
        return CreatedTasks.in(nodes(entry, app), tasks.make(options.tasks()));
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

    /** A slot that the removal passed over counts as lost only when the master has nothing left to enter. */
    private void awaitPassedSlots() throws DrillException {
        watch.until(
                "the master has entered the slots that the removal passed over",
                SELDOM,
                () -> pair.database().passedSlotsToEnter() == 0);
    }

    private void stop(Nodes nodes) throws NodeException {
        if (options.keep()) {
            nodes.pause();
        } else {
            nodes.remove();
        }
    }

    private long wallMillis() {
        return watch.wallMicros() / 1000;
    }
}
