package io.twinbell.lab;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.WatchedTask;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.verify.NodeAnswers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A drill's tasks as they were created on the pair. */
final class CreatedTasks {
    private final List<DrillTask> tasks;
    private final List<Long> ids;

    private CreatedTasks(List<DrillTask> tasks, List<Long> ids) {
        this.tasks = tasks;
        this.ids = ids;
    }

    /** @throws DrillException.Failed unless the pair announces the first fire times that the drill expects */
    static CreatedTasks in(DrillApiClient client, List<DrillTask> tasks) throws NodeException, DrillException.Failed {
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
            if (!promise.equals(OptionalLong.of(firstMillis(tasks.get(i).plan())))) {
                throw new DrillException.Failed("the pair plans the first fire"
                        + " of " + tasks.get(i).definition() + " at " + promise + ", but the drill expects "
                        + tasks.get(i).plan());
            }
        }
    }

    static long firstMillis(OwedSlotPlan plan) {
        return plan instanceof OwedSlotPlan.Timetable timetable
                ? timetable.firstMillis()
                : ((OwedSlotPlan.Chain) plan).firstMillis();
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
