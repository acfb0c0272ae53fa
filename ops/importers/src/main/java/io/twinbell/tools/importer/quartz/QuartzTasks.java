package io.twinbell.tools.importer.quartz;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.quartz.QuartzContent.Job;
import io.twinbell.tools.importer.quartz.QuartzContent.Key;
import io.twinbell.tools.importer.quartz.QuartzContent.QuartzTrigger;
import io.twinbell.tools.importer.quartz.serialized.SerializedFormReader;
import io.twinbell.tools.importer.quartz.serialized.UnreadableException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Converts each trigger of a Quartz store, with its job, to a task, or gives the reason why not. */
public final class QuartzTasks {
    /** The fire time of a task that only a person or another task starts; it is in the last supported year. */
    private static final String NEVER_BY_ITSELF = "2199-01-01T00:00:00Z";

    private final QuartzContent content;
    private final Options options;
    private final Map<Key, Job> jobs;
    private final Map<Key, Long> triggersOfJobs;
    /**
     * By calendar: the names of the calendars that replace it and its base calendars; absent if it cannot be imported.
     */
    private final Map<String, List<String>> calendars = new LinkedHashMap<>();

    private final Map<String, String> calendarObstacles = new HashMap<>();
    private final ArrayNode calendarsMade = JsonNodeFactory.instance.arrayNode();
    private final Map<String, ObjectNode> limits = new LinkedHashMap<>();

    /**
     * How to import the store.
     *
     * @param app the app of the tasks
     * @param zone the zone of Quartz, for triggers and calendars that name none
     * @param http the URL to call, with {@code {job}}, {@code {group}} and {@code {class}} in it; null for Java
     *     handlers
     * @param keys the Java handler's key for each class; a class without one is its own key
     * @param threshold Quartz's misfire threshold
     */
    public record Options(String app, ZoneId zone, String http, Map<String, String> keys, Duration threshold) {}

    private QuartzTasks(QuartzContent content, Options options) {
        this.content = content;
        this.options = options;
        jobs = content.jobs().stream().collect(Collectors.toMap(Job::key, job -> job));
        triggersOfJobs =
                content.triggers().stream().collect(Collectors.groupingBy(QuartzTrigger::job, Collectors.counting()));
    }

    /**
     * The result of an import.
     *
     * @param beside the calendars and limits that the tasks refer to, in the form of a manifest
     */
    public record ImportedTasks(List<ImportCandidate> candidates, ObjectNode beside) {}

    /** Converts a whole store, in the order of names. */
    public static ImportedTasks of(QuartzContent content, Options options) {
        return new QuartzTasks(content, options).all();
    }

    private ImportedTasks all() {
        content.calendars().forEach(this::calendar);
        List<ImportCandidate> candidates = new ArrayList<>();
        content.badRows()
                .forEach(bad -> candidates.add(ImportCandidate.left(bad.where(), "row of the store", bad.reason())));
        content.triggers().stream()
                .sorted(Comparator.comparing(trigger -> trigger.key().plain()))
                .forEach(trigger -> candidates.add(trigger(trigger)));
        content.jobs().stream()
                .filter(job -> !triggersOfJobs.containsKey(job.key()))
                .sorted(Comparator.comparing(job -> job.key().plain()))
                .forEach(job -> candidates.add(withoutTrigger(job)));
        ObjectNode beside = JsonNodeFactory.instance.objectNode();
        if (!calendarsMade.isEmpty()) {
            beside.set("calendars", calendarsMade);
        }
        if (!limits.isEmpty()) {
            ArrayNode list = beside.putArray("limits");
            limits.values().forEach(list::add);
        }
        return new ImportedTasks(candidates, beside);
    }

    private void calendar(String name, byte[] frozen) {
        try {
            List<ObjectNode> chain = SerializedFormReader.calendars(frozen, options.zone());
            List<String> names = new ArrayList<>();
            for (int number = 1; number <= chain.size(); number++) {
                String own = number == 1 ? name : name + "-" + number;
                if (number > 1 && content.calendars().containsKey(own)) {
                    throw new UnreadableException(
                            "has a base calendar that becomes " + own + ", as another calendar does");
                }
                names.add(own);
            }
            for (int i = 0; i < chain.size(); i++) {
                calendarsMade.add(JsonNodeFactory.instance
                        .objectNode()
                        .put("name", names.get(i))
                        .<ObjectNode>setAll(chain.get(i)));
            }
            calendars.put(name, names);
        } catch (UnreadableException e) {
            calendarObstacles.put(name, e.getMessage());
        }
    }

    private ImportCandidate trigger(QuartzTrigger trigger) {
        String where = "trigger " + trigger.key().plain();
        Job job = jobs.get(trigger.job());
        String description = trigger.type() + " trigger of job " + trigger.job().plain()
                + (job == null ? "" : " (" + job.className() + ")");
        if (job == null) {
            return ImportCandidate.left(where, description, "its job is not in the store");
        }
        if ("COMPLETE".equals(trigger.triggerState().state())) {
            return ImportCandidate.left(where, description, "is COMPLETE and will not fire again");
        }
        List<String> notes = new ArrayList<>();
        ObjectNode task = task(trigger.key().plain());
        String obstacle = new QuartzSchedule(trigger, options.zone(), notes).into(task);
        if (obstacle == null) {
            obstacle = calendars(trigger, task);
        }
        if (obstacle != null) {
            return ImportCandidate.left(where, description, obstacle);
        }
        try {
            writeState(trigger, task, notes);
            QuartzMisfire.into(trigger, options.threshold(), task, notes);
            ObjectNode data = SerializedFormReader.data(job.data());
            data.setAll(SerializedFormReader.data(trigger.data()));
            writeHandler(job, data, task, notes);
        } catch (UnreadableException e) {
            return ImportCandidate.left(where, description, "its job data " + e.getMessage());
        } catch (IllegalArgumentException e) {
            return ImportCandidate.left(where, description, e.getMessage());
        }
        return ImportCandidate.taken(where, description, task, notes);
    }

    private ObjectNode task(String name) {
        return JsonNodeFactory.instance.objectNode().put("app", options.app()).put("name", name);
    }

    private String calendars(QuartzTrigger trigger, ObjectNode task) {
        String name = trigger.triggerState().calendar();
        if (name == null) {
            return null;
        }
        List<String> names = calendars.get(name);
        if (names == null) {
            return "its calendar " + name + " "
                    + calendarObstacles.getOrDefault(name, "is not in the store")
                    + "; create it with 'twinbell calendar put', and add the task by hand";
        }
        if (!names.isEmpty()) {
            ArrayNode list = task.putArray("calendars");
            names.forEach(list::add);
        }
        return null;
    }

    private static void writeState(QuartzTrigger trigger, ObjectNode task, List<String> notes) {
        QuartzContent.TriggerState triggerState = trigger.triggerState();
        boolean isCron = task.path("schedule").has("cron");
        if (isCron && triggerState.startMillis() > 0) {
            task.put("start", QuartzSchedule.instant(triggerState.startMillis()));
        }
        if (triggerState.endMillis() > 0) {
            task.put("end", QuartzSchedule.instant(triggerState.endMillis()));
        }
        int priority = Math.max(0, Math.min(9, triggerState.priority()));
        if (priority != triggerState.priority()) {
            notes.add("priority " + triggerState.priority() + " is " + priority + " here");
        }
        task.put("priority", priority);
        if (triggerState.state() != null && triggerState.state().startsWith("PAUSED")) {
            task.put("enabled", false);
        } else if ("ERROR".equals(triggerState.state())) {
            task.put("enabled", false);
            notes.add("is in state ERROR in Quartz, so it is paused here");
        }
    }

    private void writeHandler(Job job, ObjectNode data, ObjectNode task, List<String> notes) {
        ObjectNode handler = task.putObject("handler");
        if (options.http() == null) {
            handler.put("type", "java").put("key", options.keys().getOrDefault(job.className(), job.className()));
        } else {
            handler.put("type", "http").put("method", "POST").put("url", address(job));
            if (!data.isEmpty()) {
                handler.putObject("headers").put("Content-Type", "application/json");
                handler.put("body", "${data}");
            }
        }
        if (!data.isEmpty()) {
            task.set("data", data);
        }
        QuartzContent.JobAttributes jobAttributes = job.jobAttributes();
        task.put("orphan", jobAttributes.requestsRecovery() ? "RERUN" : "DROP");
        task.put("overlap", jobAttributes.isNonConcurrent() ? "QUEUE" : "ALLOW");
        if (jobAttributes.isNonConcurrent() && triggersOfJobs.getOrDefault(job.key(), 0L) > 1) {
            String key = "quartz." + job.key().plain();
            limits.put(
                    key, JsonNodeFactory.instance.objectNode().put("key", key).put("maxRunning", 1));
            task.put("concurrencyKey", key);
            notes.add("its job has other triggers and forbids concurrent runs: the limit " + key + " enforces this");
        }
        if (jobAttributes.updatesItsData()) {
            notes.add("its job stores changed data after each run; here the data stays unchanged");
        }
        if (job.description() != null && !job.description().isBlank()) {
            notes.add("its description is not imported: " + job.description());
        }
    }

    private String address(Job job) {
        return options.http()
                .replace("{job}", encoded(job.key().name()))
                .replace("{group}", encoded(job.key().group()))
                .replace("{class}", encoded(job.className()));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private ImportCandidate withoutTrigger(Job job) {
        String where = "job " + job.key().plain();
        String description = "job without a trigger (" + job.className() + ")";
        if (!job.jobAttributes().isDurable()) {
            return ImportCandidate.left(where, description, "has no trigger and is not durable");
        }
        List<String> notes = new ArrayList<>();
        notes.add("has no trigger: it runs by 'twinbell task trigger', or after a task that names it in then");
        ObjectNode task = task(job.key().plain());
        task.putObject("schedule").put("at", NEVER_BY_ITSELF);
        try {
            writeHandler(job, SerializedFormReader.data(job.data()), task, notes);
        } catch (UnreadableException e) {
            return ImportCandidate.left(where, description, "its job data " + e.getMessage());
        }
        return ImportCandidate.taken(where, description, task, notes);
    }

    /** Translates Quartz's misfire instructions into misfire policies. */
    private static final class QuartzMisfire {
        private static final int IGNORE_POLICY = -1;
        private static final int SMART = 0;
        private static final int FIRE_NOW = 1;
        /** For a cron trigger: do nothing. For a simple trigger: fire now, with all its repeats. */
        private static final int SECOND = 2;

        private static final int NOW_REMAINING = 3;
        private static final int NEXT_REMAINING = 4;

        private QuartzMisfire() {}

        static void into(QuartzTrigger trigger, Duration threshold, ObjectNode task, List<String> notes) {
            ObjectNode misfire = task.putObject("misfire");
            misfire.put("policy", policy(trigger, notes)).put("threshold", threshold.toString());
        }

        private static String policy(QuartzTrigger trigger, List<String> notes) {
            int instruction = trigger.triggerState().misfire();
            boolean isSimple = trigger.type().equals("SIMPLE");
            if (instruction == IGNORE_POLICY) {
                notes.add("ignores misfires in Quartz, so all missed slots run here, at most 100");
                return "FIRE_ALL";
            }
            if (!isSimple) {
                return instruction == SECOND ? "SKIP" : "FIRE_ONCE";
            }
            long repeats = trigger.kind().number("REPEAT_COUNT");
            if (instruction == SMART) {
                return repeats < 0 ? "SKIP" : "FIRE_ONCE";
            }
            if (instruction == SECOND || instruction == NOW_REMAINING) {
                notes.add("restarts its intervals after a misfire in Quartz; here they stay unchanged");
            }
            return instruction == FIRE_NOW || instruction < NEXT_REMAINING ? "FIRE_ONCE" : "SKIP";
        }
    }
}
