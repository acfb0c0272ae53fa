package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.MergePatch;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One edit of one task. If the edit leaves the timing unchanged, the task keeps its next fire time; if it changes the
 * timing, slots that were already due are skipped.
 */
final class TaskEdit {
    private static final List<String> TIMING = List.of("schedule", "start", "end", "calendars", "jitter");
    private static final List<String> COUNT = List.of("maxRuns");
    private static final List<String> READ_ONLY = List.of(
            "id",
            "state",
            "stateReason",
            "pausedBy",
            "pausedUntil",
            "previousFireTime",
            "runs",
            "lastOutcome",
            "createdAt",
            "updatedAt",
            DefaultedMembers.ORIGINS);
    private static final String PASSED_OVER = "passed over by an edit before it was claimed";

    private final Task current;
    private final long nowMillis;
    private final Calendars calendars;
    private final ObjectNode written;

    TaskEdit(Task current, long nowMillis, Calendars calendars) {
        this.current = current;
        this.nowMillis = nowMillis;
        this.calendars = calendars;
        written = TaskJson.editable(current);
    }

    TaskChange patch(ObjectNode patch) {
        ObjectNode content = patch.deepCopy();
        Controls controls = Controls.takenFrom(content);
        controls.checkVersion(current);
        try {
            boolean saysStart = content.has("start");
            boolean saysDelay = content.path("schedule").hasNonNull("in");
            ObjectNode base = DefaultedMembers.withoutDefaults(written.deepCopy());
            return decide(MergePatch.apply(base, content), controls, saysDelay && !saysStart);
        } catch (InvalidJsonException e) {
            throw new InvalidJsonException(
                    e.errors().stream().map(error -> explained(error, content)).toList());
        }
    }

    /**
     * Replaces the values that came from defaults by the current defaults. A task that they would make invalid stays as
     * it is, and so does a task that has ended or cannot be read.
     */
    TaskChange followDefaults() {
        TaskState state = current.progress().state();
        if (state == TaskState.FINISHED || state == TaskState.ERROR || !written.has(DefaultedMembers.ORIGINS)) {
            return new TaskChange.Keep();
        }
        try {
            return decide(DefaultedMembers.withoutDefaults(written), new Controls(null, null, null), false);
        } catch (InvalidJsonException e) {
            return new TaskChange.Keep();
        }
    }

    /**
     * Adds a hint to the error: users easily forget that a merge patch keeps the members it does not name, for example
     * when one type of schedule or handler replaces another.
     */
    private FieldError explained(FieldError error, ObjectNode patch) {
        boolean kept = patch.at(error.pointer()).isMissingNode()
                && !written.at(error.pointer()).isMissingNode();
        boolean mixed =
                error.pointer().equals("/schedule") && patch.path("schedule").isObject();
        return kept || mixed
                ? new FieldError(
                        error.pointer(),
                        error.detail()
                                + " (a merge patch keeps members that it does not name; a member set to null is removed)")
                : error;
    }

    TaskChange replace(ObjectNode task) {
        ObjectNode content = task.deepCopy();
        Controls controls = Controls.takenFrom(content);
        controls.checkVersion(current);
        boolean saysStart = content.hasNonNull("start");
        if (!saysStart && written.has("start")) {
            content.set("start", written.get("start"));
        }
        boolean saysDelay = content.path("schedule").hasNonNull("in");
        return decide(content, controls, saysDelay && !saysStart);
    }

    TaskChange put(ObjectNode task) {
        ObjectNode content = task.deepCopy();
        Controls controls = Controls.takenFrom(content);
        controls.checkVersion(current);
        if (current.progress().state() != TaskState.FINISHED || controls.nextFireMillis() != null) {
            return replace(task);
        }
        content.set("enabled", task.get("enabled"));
        NewTask successor = TaskReader.newTask(content, nowMillis, calendars);
        return hasFired(successor) ? replace(task) : new TaskChange.Renew(successor);
    }

    /** Whether the successor would only repeat an instant that has passed or was claimed ahead of its time. */
    private boolean hasFired(NewTask successor) {
        JsonNode schedule =
                StrictJson.readStored(successor.content().definition()).path("schedule");
        long latestFired =
                Math.max(nowMillis, current.progress().previousFireMillis().orElse(nowMillis));
        return schedule.has("at")
                && schedule.equals(written.get("schedule"))
                && successor.progress().nextFireMillis().orElseThrow() <= latestFired;
    }

    /** @param isDelayed whether the edit asks for a delay, which counts from now even if it equals the previous one */
    private TaskChange decide(ObjectNode wanted, Controls controls, boolean isDelayed) {
        refuseRenaming(wanted);
        boolean begins = isDelayed && controls.nextFireMillis() == null;
        if (begins) {
            wanted.remove("start");
        }
        if (controls.nextFireMillis() != null && firesOnce(wanted.path("schedule"))) {
            moveWhole(wanted, controls.nextFireMillis());
        }
        TaskReader.ReadTask read = TaskReader.read(wanted, nowMillis, calendars);
        TaskContent content = sameAsStored(read.content()) ? current.content() : read.content();
        refuseBeyondTheEnd(controls.nextFireMillis(), wanted);
        TaskProgress progress = progress(read.definition(), controls, content, begins);
        if (content.equals(current.content()) && progress.equals(current.progress())) {
            return new TaskChange.Keep();
        }
        boolean moved = !progress.nextFireMillis().equals(current.progress().nextFireMillis());
        Optional<PassedSlots> passed =
                moved ? PassedSlotFinder.of(current, nowMillis, PASSED_OVER, calendars) : Optional.empty();
        boolean timingChanged = hasChanged(content, TIMING);
        boolean replanned = timingChanged || controls.nextFireMillis() != null || moved && !resumes(controls);
        boolean computed = timingChanged || moved;
        return new TaskChange.Rewrite(
                content,
                progress,
                passed,
                computed ? Optional.of(read.definition().schedule().calendars()) : Optional.empty(),
                replanned);
    }

    private TaskProgress progress(TaskDefinition definition, Controls controls, TaskContent content, boolean begins) {
        TaskProgress was = current.progress();
        boolean pauses = Boolean.FALSE.equals(controls.enabled());
        boolean resumes = resumes(controls);
        boolean staysPaused = was.state() == TaskState.PAUSED && !resumes;
        TaskProgress progress = begins
                ? NextFireTimeChange.of(current, nowMillis, calendars).begun(definition)
                : active(definition, controls, content, resumes);
        if (staysPaused && progress.state() != TaskState.PAUSED) {
            return progress.paused(was.reason(), was.pause());
        }
        return pauses && progress.state() == TaskState.ACTIVE
                ? progress.paused(TaskChanges.DISABLED, TaskPause.NONE)
                : progress;
    }

    /** Returns the progress that the task would have if it were not paused. */
    private TaskProgress active(TaskDefinition definition, Controls controls, TaskContent content, boolean resumes) {
        TaskProgress was = current.progress();
        NextFireTimeChange timing = NextFireTimeChange.of(current, nowMillis, calendars);
        if (controls.nextFireMillis() != null) {
            return timing.moved(definition, controls.nextFireMillis());
        }
        if (hasChanged(content, TIMING) || was.state() == TaskState.ERROR) {
            return timing.changed(definition);
        }
        if (resumes) {
            return timing.resume(definition);
        }
        return hasChanged(content, COUNT) ? timing.recounted(definition) : was;
    }

    /**
     * Whether the task fires once. Its schedule is then moved as a whole: otherwise it would fire at the new time and
     * again at the old one.
     */
    private static boolean firesOnce(JsonNode schedule) {
        return schedule.has("at") || schedule.has("in");
    }

    /** Moves a one-shot to exactly this instant; a jitter would delay it. */
    private void moveWhole(ObjectNode wanted, long nextFireMillis) {
        JsonNode past = wanted.path("schedule").path("past");
        ObjectNode moved = wanted.putObject("schedule").put("at", Instants.text(nextFireMillis));
        if (!past.isMissingNode()) {
            moved.set("past", past);
        }
        if (wanted.hasNonNull("jitter") && !wanted.get("jitter").equals(written.get("jitter"))) {
            throw new InvalidJsonException("/jitter", "can't be set while nextFireTime moves a task that fires once");
        }
        wanted.remove("jitter");
    }

    /** The end is valid here, because the reader has checked it. */
    private static void refuseBeyondTheEnd(Long nextFireMillis, ObjectNode wanted) {
        if (nextFireMillis != null
                && wanted.hasNonNull("end")
                && nextFireMillis > Instants.millis(wanted.get("end").textValue())) {
            throw new InvalidJsonException("/nextFireTime", "lies after the end of the task");
        }
    }

    private boolean resumes(Controls controls) {
        return Boolean.TRUE.equals(controls.enabled()) && current.progress().state() == TaskState.PAUSED;
    }

    private void refuseRenaming(ObjectNode wanted) {
        for (String name : List.of("app", "name")) {
            if (!Objects.equals(wanted.get(name), written.get(name))) {
                throw new InvalidJsonException("/" + name, "can't be changed: app and name are the task's key");
            }
        }
    }

    private boolean sameAsStored(TaskContent content) {
        TaskContent stored = current.content();
        return Objects.equals(content.owner(), stored.owner())
                && content.tags().equals(stored.tags())
                && StrictJson.readStored(content.definition()).equals(StrictJson.readStored(stored.definition()));
    }

    private boolean hasChanged(TaskContent content, List<String> members) {
        JsonNode definition = StrictJson.readStored(content.definition());
        return members.stream().anyMatch(member -> !Objects.equals(definition.get(member), written.get(member)));
    }

    /** The members of an edit that are not part of the task itself. */
    private record Controls(Long version, Long nextFireMillis, Boolean enabled) {
        static Controls takenFrom(ObjectNode content) {
            List<FieldError> errors = new ArrayList<>();
            Fields fields = Fields.of(content, "", errors);
            Controls controls = new Controls(
                    fields.integer("version", 1, Long.MAX_VALUE),
                    fields.instant("nextFireTime"),
                    fields.bool("enabled"));
            for (String name : READ_ONLY) {
                if (content.has(name)) {
                    fields.error(name, "is read-only");
                }
            }
            if (!errors.isEmpty()) {
                throw new InvalidJsonException(errors);
            }
            content.remove(List.of("version", "nextFireTime", "enabled"));
            return controls;
        }

        void checkVersion(Task current) {
            if (version != null && version != current.version()) {
                throw new VersionConflictException(version, current.version());
            }
        }
    }
}
