package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.manifest.ManifestException;
import io.twinbell.tools.manifest.ManifestReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns CronJobs of Kubernetes ({@code batch/v1}) into tasks: each calls a URL, or runs the container's command. */
public final class KubernetesCronJobs {
    private static final Pattern ZONE_PREFIX = Pattern.compile("(?:CRON_TZ|TZ)=(\\S+)\\s+(.*)");
    private static final Pattern EVERY = Pattern.compile("@every\\s+((?:\\d{1,6}(?:h|m|s))+)");
    private static final int[] DAY_FIELDS = {2, 4};
    /** Unlike cron, Kubernetes takes a day field with a step such as {@code *}/2 for a restriction, as UNIX does. */
    private static final Pattern OPEN = Pattern.compile("(?:[^*]*,)?\\*(?:/1)?(?:,.*)?");
    /** The default of Kubernetes: six retries, the first after 10 s, each delay twice the one before. */
    private static final int RETRIES = 6;

    private final Options options;
    private final UniqueNames names = new UniqueNames();
    private final List<ImportCandidate> found = new ArrayList<>();

    /**
     * How to import the CronJobs.
     *
     * @param app the app of the tasks
     * @param zone the zone of CronJobs that name none
     * @param http the URL to call, with {@code {name}} and {@code {namespace}} in it; null to run the container's command
     */
    public record Options(String app, String zone, String http) {}

    private KubernetesCronJobs(Options options) {
        this.options = options;
    }

    /**
     * Every CronJob of the documents, also inside lists such as {@code kubectl get cronjobs -o yaml} writes.
     *
     * @throws ManifestException if the text is neither YAML nor JSON
     */
    public static List<ImportCandidate> read(String text, String source, Options options) throws ManifestException {
        KubernetesCronJobs jobs = new KubernetesCronJobs(options);
        for (JsonNode document : ManifestReader.documents(text, source)) {
            jobs.object(document);
        }
        return List.copyOf(jobs.found);
    }

    private void object(JsonNode object) {
        String kind = object.path("kind").asText();
        if (kind.endsWith("List")) {
            object.path("items").forEach(this::object);
        } else if (kind.equals("CronJob")) {
            cronJob(object);
        } else if (!object.isNull() && !object.isMissingNode()) {
            found.add(ImportCandidate.left(
                    kind.isEmpty()
                            ? "object"
                            : kind + " " + object.at("/metadata/name").asText(),
                    "kind " + kind,
                    "is not a CronJob"));
        }
    }

    private void cronJob(JsonNode object) {
        String name = object.at("/metadata/name").asText();
        String namespace = object.at("/metadata/namespace").asText();
        String where = "CronJob " + (namespace.isEmpty() ? "" : namespace + "/") + name;
        JsonNode spec = object.path("spec");
        String description = spec.path("schedule").asText();
        List<String> notes = new ArrayList<>();
        ObjectNode task = JsonNodeFactory.instance.objectNode().put("app", options.app());
        try {
            if (name.isEmpty() || description.isEmpty()) {
                throw new IllegalArgumentException("has no name or no schedule");
            }
            task.put(
                    "name",
                    names.of(namespace.isEmpty() || namespace.equals("default") ? name : namespace + "." + name));
            task.set("schedule", schedule(spec));
            task.set("handler", handler(name, namespace, spec.at("/jobTemplate/spec"), notes));
        } catch (IllegalArgumentException e) {
            found.add(ImportCandidate.left(where, description, e.getMessage()));
            return;
        }
        policies(spec, task, notes);
        if (options.http() == null && namespace.length() > 0) {
            notes.add("runs on the node's machine, not in the namespace " + namespace);
        }
        found.add(ImportCandidate.taken(where, description, task, notes));
    }

    private ObjectNode schedule(JsonNode spec) {
        String zone = spec.path("timeZone").asText(options.zone());
        String text = spec.path("schedule").asText().strip();
        Matcher prefixed = ZONE_PREFIX.matcher(text);
        if (prefixed.matches()) {
            zone = prefixed.group(1);
            text = prefixed.group(2).strip();
        }
        Matcher every = EVERY.matcher(text);
        if (every.matches()) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("every", "PT" + every.group(1).toUpperCase(Locale.ROOT));
        }
        if (text.startsWith("@")) {
            ObjectNode schedule = CrontabFields.ofNickname(text, zone);
            if (schedule == null) {
                throw new IllegalArgumentException("has an unknown schedule " + text);
            }
            return schedule;
        }
        String[] fields = text.replace('?', '*').split("\\s+");
        if (fields.length != 5) {
            throw new IllegalArgumentException("has a schedule without five fields");
        }
        for (int day : DAY_FIELDS) {
            if (OPEN.matcher(fields[day]).matches()) {
                fields[day] = "*";
            }
        }
        return JsonNodeFactory.instance
                .objectNode()
                .put("cron", String.join(" ", fields))
                .put("dialect", "UNIX")
                .put("zone", zone);
    }

    private ObjectNode handler(String name, String namespace, JsonNode job, List<String> notes) {
        if (options.http() != null) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("type", "http")
                    .put("method", "POST")
                    .put(
                            "url",
                            options.http()
                                    .replace("{name}", encoded(name))
                                    .replace("{namespace}", encoded(namespace.isEmpty() ? "default" : namespace)));
        }
        return ContainerCommand.handler(job.at("/template/spec"), notes);
    }

    private static void policies(JsonNode spec, ObjectNode task, List<String> notes) {
        task.put(
                "overlap",
                switch (spec.path("concurrencyPolicy").asText("Allow")) {
                    case "Forbid" -> "SKIP";
                    case "Replace" -> "CANCEL_RUNNING";
                    default -> "ALLOW";
                });
        if (spec.hasNonNull("startingDeadlineSeconds")) {
            task.put(
                    "expireAfter",
                    "PT" + Math.max(1, spec.path("startingDeadlineSeconds").asLong()) + "S");
        }
        if (spec.path("suspend").asBoolean()) {
            task.put("enabled", false);
        }
        JsonNode job = spec.at("/jobTemplate/spec");
        int retries = job.path("backoffLimit").asInt(RETRIES);
        if (retries > 0) {
            task.putObject("retry")
                    .put("maxAttempts", retries + 1)
                    .put("backoff", "PT10S")
                    .put("multiplier", 2)
                    .put("maxBackoff", "PT6M");
        }
        if (job.hasNonNull("activeDeadlineSeconds")) {
            task.put("timeout", "PT" + job.path("activeDeadlineSeconds").asLong() + "S");
        }
        if (job.path("parallelism").asInt(1) > 1 || job.path("completions").asInt(1) > 1) {
            notes.add("runs several pods for each Job; the task runs once");
        }
        // A Job's pod is started again when its node is lost.
        task.put("orphan", "RERUN");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
