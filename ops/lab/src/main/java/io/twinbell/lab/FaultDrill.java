package io.twinbell.lab;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.page.PageDrill;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.WatchedTask;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.DrillTimeline;
import io.twinbell.tools.drill.UndoStack;
import io.twinbell.tools.drill.receiver.ReceiverProcess;
import io.twinbell.tools.verify.NodeAnswers;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Runs one fault drill: tasks run, a fault strikes, the pair recovers and is repaired, and the checker judges the
 * history.
 */
final class FaultDrill {
    private static final Duration SET_UP = Duration.ofSeconds(3);
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    /** The fault strikes at a random moment of this time after the warm-up. */
    private static final Duration ANY_MOMENT = Duration.ofSeconds(3);

    private static final Duration ONE_SHOTS_WITHIN = Duration.ofSeconds(20);
    private static final Duration RUN_ON = Duration.ofSeconds(3);
    /** A master that is at most this far behind has caught up. On a busy machine it is always slightly late. */
    private static final Duration BEHIND_AT_MOST = Duration.ofSeconds(1);

    private static final Duration SELDOM = Duration.ofMillis(200);

    private final DrilledPair pair;
    private final Options options;
    private final ConditionPoll poll;
    private final DrillTimeline timeline;

    /**
     * Options of a drill.
     *
     * @param keep whether the tasks stay, paused, after the drill
     * @param evidence the directory for the rounds' evidence
     */
    record Options(int tasks, boolean keep, Path evidence) {}

    FaultDrill(DrilledPair pair, Options options, ConditionPoll poll, DrillTimeline timeline) {
        this.pair = pair;
        this.options = options;
        this.poll = poll;
        this.timeline = timeline;
    }

    /** The current master and standby. */
    RoleAssignment roles() throws DrillException.Refused {
        return RoleAssignment.of(pair, pair.snapshot());
    }

    /** Runs one round. However it ends, the pair is repaired and the tasks no longer fire afterwards. */
    RoundResult round(Fault fault, RoleAssignment roles, SplittableRandom random)
            throws DrillException, NodeException, IOException {
        String app = "drill-" + UUID.randomUUID().toString().substring(0, 8);
        RoundEvidence evidence = RoundEvidence.of(options.evidence(), app);
        try (UndoStack undo = new UndoStack(timeline::printProblem)) {
            DrillStage stage = new DrillStage(pair, roles, poll, timeline, undo, random.split());
            try {
                return play(fault, stage, app, evidence, random);
            } catch (DrillException | NodeException | IOException | RuntimeException e) {
                try {
                    evidence.brokenOff(fault.name(), roles, stage.marks(), String.valueOf(e.getMessage()));
                } catch (IOException unwritten) {
                    e.addSuppressed(unwritten);
                }
                throw e;
            }
        }
    }

    private RoundResult play(Fault fault, DrillStage stage, String app, RoundEvidence evidence, SplittableRandom random)
            throws DrillException, NodeException, IOException {
        fault.prepare(stage);
        // A frozen node would block every request to it until the timeout.
        DrillApiClient client = nodes(stage.roles().standby(), app);
        ReceiverProcess receiver = ReceiverProcess.start(evidence.receiverLog(), pair.receiverHost());
        stage.undo().add("stop the receiver", receiver::close);
        stage.undo().add("stop the drill's tasks", () -> stop(client));
        long startMillis = wallMillis() + SET_UP.toMillis();
        CreatedTasks tasks =
                create(random, app, new DrillTasks(random, app, receiver.url(), startMillis, ONE_SHOTS_WITHIN));
        stage.tasks().addAll(tasks.ids());
        timeline.print(tasks.ids().size() + " tasks of " + app + " wait for their start");

        long moment = (startMillis + WARM_UP.toMillis()) * 1000 + random.nextLong(ANY_MOMENT.toNanos() / 1000);
        stage.saysReady(client.cluster().path("failoverReady").path("ready").asBoolean());
        poll.sleepUntil(moment);
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        PageDrill pages = PageDrill.begin(fault, stage);
        awaitRecovery(fault, stage, client);
        pages.judge(evidence.directory());
        poll.sleep(RUN_ON);
        long stoppedMillis = wallMillis();
        List<WatchedTask> watched = stopAndWatch(client, tasks, stoppedMillis);
        awaitPassedSlots();
        RoundChecker.Verdict verdict = new RoundChecker(client, evidence, poll, fault)
                .judge(stage, watched, startMillis - SET_UP.toMillis(), stoppedMillis);
        RoundResult round = RoundResult.of(
                stage.roles(), new RoundResult.Scene(fault.name(), evidence.directory(), stage.marks(), load), verdict);
        evidence.report(round, verdict);
        return round;
    }

    private void awaitRecovery(Fault fault, DrillStage stage, DrillApiClient client)
            throws DrillException, NodeException, IOException {
        RoleAssignment roles = stage.roles();
        fault.strike(stage);
        if (fault.roleEffect() == Fault.RoleEffect.SUCCESSOR) {
            stage.awaitMaster(roles.standby());
            awaitCaughtUp(client, roles.epoch());
        }
        poll.sleep(fault.lasts());
        fault.heal(stage);
        fault.expect(stage);
        timeline.print("node " + stage.awaitBothNodes() + " is master, the other node is standby");
        awaitCaughtUp(client, stage.epoch() - 1);
    }

    private void awaitCaughtUp(DrillApiClient client, long settledEpoch) throws DrillException {
        poll.until(
                "the master has caught up and settled the executions in flight",
                SELDOM,
                () -> client.hasCaughtUp(settledEpoch, wallMillis() - BEHIND_AT_MOST.toMillis()));
        timeline.print("the master has caught up and settled the executions in flight");
    }

    /** A client that asks the first node, and the other one if the first does not answer. */
    private DrillApiClient nodes(String first, String app) {
        return new DrillApiClient(pair, first, app);
    }

    /** Creates the tasks at either node. */
    private CreatedTasks create(SplittableRandom random, String app, DrillTasks tasks)
            throws DrillException.Failed, NodeException {
        String entry = DrilledPair.NODES.get(random.nextInt(DrilledPair.NODES.size()));
        return CreatedTasks.in(nodes(entry, app), tasks.make(options.tasks()));
    }

    private List<WatchedTask> stopAndWatch(DrillApiClient client, CreatedTasks tasks, long stoppedMillis)
            throws DrillException, NodeException {
        client.pause();
        poll.until("no execution is in flight", SELDOM, client::isIdle);
        Map<Long, OptionalLong> standing = CreatedTasks.nextFireTimes(client);
        stop(client);
        timeline.print("the tasks are stopped, and no execution is in flight");
        return tasks.watched(stoppedMillis, standing, !options.keep());
    }

    /** Waits until the master has recorded everything. Only then does a slot skipped by the removal count as lost. */
    private void awaitPassedSlots() throws DrillException {
        poll.until(
                "the master has recorded the slots that the removal skipped",
                SELDOM,
                () -> pair.database().passedSlotsToEnter() == 0);
    }

    private void stop(DrillApiClient client) throws NodeException {
        if (options.keep()) {
            client.pause();
        } else {
            client.remove();
        }
    }

    private long wallMillis() {
        return poll.wallMicros() / 1000;
    }

    /** A drill's tasks as they were created on the pair. */
    private static final class CreatedTasks {
        private final List<DrillTask> tasks;
        private final List<Long> ids;

        private CreatedTasks(List<DrillTask> tasks, List<Long> ids) {
            this.tasks = tasks;
            this.ids = ids;
        }

        /** @throws DrillException.Failed unless the pair announces the first fire times that the drill expects */
        static CreatedTasks in(DrillApiClient client, List<DrillTask> tasks)
                throws NodeException, DrillException.Failed {
            CreatedTasks created = new CreatedTasks(tasks, client.create(tasks));
            created.checkPromises(nextFireTimes(client));
            return created;
        }

        List<Long> ids() {
            return ids;
        }

        private void checkPromises(Map<Long, OptionalLong> promised) throws DrillException.Failed {
            for (int i = 0; i < tasks.size(); i++) {
                OptionalLong promise = promised.getOrDefault(ids.get(i), OptionalLong.empty());
                if (!promise.equals(OptionalLong.of(tasks.get(i).plan().firstMillis()))) {
                    throw new DrillException.Failed("the pair plans the first fire"
                            + " of " + tasks.get(i).definition() + " at " + promise + ", but the drill expects "
                            + tasks.get(i).plan());
                }
            }
        }

        /** The next fire time of every task of the app. */
        static Map<Long, OptionalLong> nextFireTimes(DrillApiClient client) throws NodeException {
            Map<Long, OptionalLong> times = new HashMap<>();
            for (JsonNode task : client.tasks()) {
                times.put(task.path("id").asLong(), NodeAnswers.millis(task, "nextFireTime"));
            }
            return times;
        }

        /**
         * The tasks as the checker's input.
         *
         * @param stoppedMillis slots up to here are owed
         * @param standing each task's next fire time after it was stopped
         * @param removed whether the tasks were removed, so that their unclaimed slots are recorded; if not, the pause
         *     still holds these back
         */
        List<WatchedTask> watched(long stoppedMillis, Map<Long, OptionalLong> standing, boolean removed) {
            List<WatchedTask> watched = new ArrayList<>();
            for (int i = 0; i < tasks.size(); i++) {
                DrillTask task = tasks.get(i);
                OptionalLong standsAt = standing.getOrDefault(ids.get(i), OptionalLong.empty());
                long owedUntil = removed ? stoppedMillis : Math.min(stoppedMillis, standsAt.orElse(Long.MAX_VALUE) - 1);
                watched.add(new WatchedTask(
                        ids.get(i),
                        task.name(),
                        task.plan(),
                        task.policies(),
                        new WatchedTask.WatchPeriod(
                                owedUntil, standsAt, List.of(new RuleContext.Change(stoppedMillis, Long.MAX_VALUE)))));
            }
            return watched;
        }
    }
}
