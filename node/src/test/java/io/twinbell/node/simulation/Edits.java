package io.twinbell.node.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskState;
import java.util.List;
import java.util.Map;

/** Edits of people during a simulation, through either node: they pause, resume, change and remove tasks. */
final class Edits {
    private final World world;
    private final SimulatedDatabase database;
    private final Map<String, Machine> machines;
    private final Map<Long, WatchedPlan> plans;
    private final Trouble trouble;
    private long meanPause;
    private boolean over;
    private boolean calm;

    Edits(Machine.Scene scene, Map<String, Machine> machines, Map<Long, WatchedPlan> plans) {
        world = scene.world();
        trouble = scene.mutation().trouble();
        database = scene.database();
        this.machines = machines;
        this.plans = plans;
    }

    void begin() {
        long wanted = trouble.meanEditMillis();
        meanPause = (wanted == 0 ? world.between(300, 5000) : wanted) * World.MILLI;
        next();
    }

    void end() {
        over = true;
    }

    /** Pauses nothing from now on, so that no slot is late because of an edit. */
    void calm() {
        calm = true;
        resumeAll();
    }

    private void next() {
        world.after(world.between(meanPause / 10, 2 * meanPause), () -> {
            if (!over) {
                edit();
                next();
            }
        });
    }

    private void edit() {
        long id = world.oneOf(List.copyOf(plans.keySet()));
        WatchedPlan plan = plans.get(id);
        double luck = world.random.nextDouble();
        if (plan.followsTheRun()) {
            return;
        }
        if (calm) {
            change(id, plan);
        } else if (luck < 0.35) {
            edit(id, "pause", TaskChanges.pause("a break", TaskPause.NONE));
        } else if (luck < 0.8) {
            edit(id, "resume", TaskChanges.resume(Calendars.NONE));
        } else if (luck < 0.97) {
            change(id, plan);
        } else {
            edit(id, "remove", TaskChanges.remove(TaskChanges.REMOVED, Calendars.NONE));
        }
    }

    private void change(long id, WatchedPlan plan) {
        if (!plan.isOnce()) {
            ObjectNode patch = JsonNodeFactory.instance.objectNode();
            long every = 200 * (world.chance(0.3) ? world.between(15, 45) : world.between(2, 15));
            patch.putObject("schedule").put("every", "PT" + every / 1000.0 + "S");
            edit(id, "change", TaskChanges.patch(patch, Calendars.NONE));
        }
    }

    private void edit(long id, String what, TaskDecision decision) {
        List<Machine> able = machines.values().stream()
                .filter(machine -> machine.isUp() && !machine.process().isFrozen())
                .filter(machine -> !world.isInTheWay(machine.process()))
                .toList();
        if (able.isEmpty()) {
            return;
        }
        Machine machine = world.oneOf(able);
        world.trace.say(machine.process(), "asked to " + what + " task " + id);
        change(machine, id, decision);
    }

    private void change(Machine machine, long id, TaskDecision decision) {
        Process process = machine.process();
        SimulationActor request = process.loop("operator", () -> Long.MAX_VALUE);
        SimulatedTaskStore store = new SimulatedTaskStore(machine.operators(), database);
        world.after(
                0, request, () -> perform(request, process, () -> store.change(id, decision, plans.get(id)::edited)));
    }

    private void perform(SimulationActor request, Process process, Runnable edit) {
        world.enter(request);
        try {
            edit.run();
        } catch (DatabaseUnavailableException | InvalidJsonException e) {
            world.trace.say(process, "edit refused: " + e.getMessage());
        } finally {
            world.leave();
        }
    }

    /**
     * Resumes all tasks, because a slot of a paused task would wait forever. Repeats that, because an earlier edit may
     * still be under way.
     */
    void resumeAll() {
        List<Long> paused = database.tables.tasks().values().stream()
                .filter(task -> task.progress().state() == TaskState.PAUSED)
                .map(Task::id)
                .toList();
        paused.forEach(id -> edit(id, "resume", TaskChanges.resume(Calendars.NONE)));
        if (!over) {
            world.after(50 * World.MILLI, this::resumeAll);
        }
    }
}
