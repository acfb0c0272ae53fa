package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.manifest.ManifestException;
import io.twinbell.tools.manifest.ManifestReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns CronJobs of Kubernetes ({@code batch/v1}) into tasks: each calls a URL, or runs the container's command. */
public final class KubernetesCronJobs {
    private static final Pattern ZONE_PREFIX = Pattern.compile("(?:CRON_TZ|TZ)=(\\S+)\\s+(.*)");
    private static final Pattern EVERY = Pattern.compile("@every\\s+([\\dhms]+)");
    private static final Pattern SPAN = Pattern.compile("(\\d{1,6})([hms])");
    /** Longer than every expression; bounds the regular expressions. */
    private static final int MAX_SCHEDULE = 500;

    private static final int MAX_CRON_JOBS = 50_000;
    private static final Set<String> VERSIONS = Set.of("", "batch/v1", "batch/v1beta1", "batch/v2alpha1");
    private static final Set<String> KNOWN = Set.of(
            "schedule",
            "timeZone",
            "concurrencyPolicy",
            "startingDeadlineSeconds",
            "suspend",
            "jobTemplate",
            "successfulJobsHistoryLimit",
            "failedJobsHistoryLimit");
    private static final Set<String> KNOWN_OF_JOB = Set.of(
            "template",
            "backoffLimit",
            "activeDeadlineSeconds",
            "parallelism",
            "completions",
            "ttlSecondsAfterFinished");
    private static final int[] DAY_FIELDS = {2, 4};
    /** Unlike cron, Kubernetes takes a day field with a step such as {@code *}/2 for a restriction, as UNIX does. */
    private static final Pattern OPEN = Pattern.compile("(?:[^*]*,)?\\*(?:/1)?(?:,.*)?");
    /** The default of Kubernetes: six retries, the first after 10 s, each delay twice the one before. */
    private static final int RETRIES = 6;
    /** The pair's limit. */
    private static final int MOST_ATTEMPTS = 1_000;

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
     * @throws IllegalArgumentException if it has too many objects
     */
    public static List<ImportCandidate> read(String text, String source, Options options) throws ManifestException {
        KubernetesCronJobs jobs = new KubernetesCronJobs(options);
        for (JsonNode document : ManifestReader.documents(text, source)) {
            jobs.object(document);
        }
        return List.copyOf(jobs.found);
    }

    private void object(JsonNode object) {
        if (found.size() == MAX_CRON_JOBS) {
            throw new IllegalArgumentException("it has more than " + MAX_CRON_JOBS + " objects");
        }
        String kind = object.path("kind").asText();
        if (kind.endsWith("List") && object.path("items").isArray()) {
            object.path("items").forEach(this::object);
        } else if (kind.equals("CronJob")) {
            cronJob(object);
        } else if (!object.isNull() && !object.isMissingNode()) {
            found.add(ImportCandidate.left(
                    kind.isEmpty()
                            ? "object"
                            : kind + " " + object.at("/metadata/name").asText(),
                    "kind " + kind,
                    kind.endsWith("List") ? "has no list of items" : "is not a CronJob"));
        }
    }

    private void cronJob(JsonNode object) {
        String where = "CronJob " + object.at("/metadata/name").asText();
        String description = object.at("/spec/schedule").asText();
        List<String> notes = new ArrayList<>();
        ObjectNode task = JsonNodeFactory.instance.objectNode().put("app", options.app());
        try {
            KubernetesFields fields = new KubernetesFields(object);
            KubernetesFields metadata = fields.in("metadata");
            String name = metadata.text("name", "");
            String namespace = metadata.text("namespace", "");
            where = "CronJob " + (namespace.isEmpty() ? "" : namespace + "/") + name;
            if (!VERSIONS.contains(fields.text("apiVersion", ""))) {
                throw new IllegalArgumentException(
                        "is of apiVersion " + fields.text("apiVersion", "") + ", and not batch/v1");
            }
            KubernetesFields spec = fields.in("spec");
            if (name.isEmpty() || spec.text("schedule", "").isEmpty()) {
                throw new IllegalArgumentException("has no name or no schedule");
            }
            KubernetesFields job = spec.in("jobTemplate").in("spec");
            task.put("name", "");
            task.set("schedule", schedule(spec));
            task.set("handler", handler(name, namespace, job, notes));
            policies(spec, job, task, notes);
            task.put(
                    "name",
                    names.of(namespace.isEmpty() || namespace.equals("default") ? name : namespace + "." + name));
            if (options.http() == null && namespace.length() > 0) {
                notes.add("runs on the node's machine, not in the namespace " + namespace);
            }
            noteTheRest(spec, job, notes);
        } catch (IllegalArgumentException e) {
            found.add(ImportCandidate.left(where, description, e.getMessage()));
            return;
        }
        found.add(ImportCandidate.taken(where, description, task, notes));
    }

    private static void noteTheRest(KubernetesFields spec, KubernetesFields job, List<String> notes) {
        Set<String> left = new LinkedHashSet<>(spec.others(KNOWN));
        left.addAll(job.others(KNOWN_OF_JOB));
        if (!left.isEmpty()) {
            notes.add("settings that a task does not have are left out: " + String.join(", ", left));
        }
    }

    private ObjectNode schedule(KubernetesFields spec) {
        String zone = spec.text("timeZone", options.zone());
        String text = spec.text("schedule", "").strip();
        if (text.length() > MAX_SCHEDULE) {
            throw new IllegalArgumentException("has a schedule of more than " + MAX_SCHEDULE + " characters");
        }
        Matcher prefixed = ZONE_PREFIX.matcher(text);
        if (prefixed.matches()) {
            zone = prefixed.group(1);
            text = prefixed.group(2).strip();
        }
        Matcher every = EVERY.matcher(text);
        if (every.matches()) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("every", span(every.group(1)).toString());
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

    /** Kubernetes adds the parts in any order. */
    private static Duration span(String text) {
        Matcher part = SPAN.matcher(text);
        Duration span = Duration.ZERO;
        int end = 0;
        while (part.find() && part.start() == end) {
            long number = Long.parseLong(part.group(1));
            span = span.plus(
                    switch (part.group(2)) {
                        case "h" -> Duration.ofHours(number);
                        case "m" -> Duration.ofMinutes(number);
                        default -> Duration.ofSeconds(number);
                    });
            end = part.end();
        }
        if (end != text.length()) {
            throw new IllegalArgumentException("has an interval that is not understood: " + text);
        }
        return span;
    }

    private ObjectNode handler(String name, String namespace, KubernetesFields job, List<String> notes) {
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
        return ContainerCommand.handler(job.in("template").in("spec"), notes);
    }

    private static void policies(KubernetesFields spec, KubernetesFields job, ObjectNode task, List<String> notes) {
        String policy = spec.text("concurrencyPolicy", "Allow");
        task.put(
                "overlap",
                switch (policy) {
                    case "Allow" -> "ALLOW";
                    case "Forbid" -> "SKIP";
                    case "Replace" -> "CANCEL_RUNNING";
                    default ->
                        throw new IllegalArgumentException(
                                "its concurrencyPolicy must be Allow, Forbid or Replace, not " + policy);
                });
        if (spec.has("startingDeadlineSeconds")) {
            task.put("expireAfter", "PT" + Math.max(1, spec.count("startingDeadlineSeconds", 0)) + "S");
        }
        if (spec.is("suspend")) {
            task.put("enabled", false);
        }
        int retries = job.count("backoffLimit", RETRIES);
        if (retries >= MOST_ATTEMPTS) {
            notes.add("backoffLimit " + retries + " is " + (MOST_ATTEMPTS - 1) + " retries here");
            retries = MOST_ATTEMPTS - 1;
        }
        if (retries > 0) {
            task.putObject("retry")
                    .put("maxAttempts", retries + 1)
                    .put("backoff", "PT10S")
                    .put("multiplier", 2)
                    .put("maxBackoff", "PT6M");
        }
        if (job.has("activeDeadlineSeconds")) {
            task.put("timeout", "PT" + job.count("activeDeadlineSeconds", 0) + "S");
        }
        if (job.count("parallelism", 1) > 1 || job.count("completions", 1) > 1) {
            notes.add("runs several pods for each Job; the task runs once");
        }
        // A Job's pod is started again when its node is lost.
        task.put("orphan", "RERUN");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
