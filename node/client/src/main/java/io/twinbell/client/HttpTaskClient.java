package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.client.NodeCalls.NodeAnswer;
import io.twinbell.client.NodeCalls.NodeCall;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Stores, queries and cancels tasks over the HTTP API, and waits for outcomes. A call goes to the node that answered
 * last. If that does not answer, it goes to the other one, until the timeout. This is safe, because a repetition asks
 * for the same slot again: a delay becomes an instant by this application's clock before the first try. Calls that must
 * not be repeated ({@link IfTaskExists#REFUSE}, {@link #trigger}, {@link #rerun}, {@link #rerunAll}) are not repeated
 * after a lost answer.
 *
 * <pre>{@code
 * HttpTaskClient tasks = HttpTaskClient.builder("shop")
 *         .node("http://10.0.0.1:8081")
 *         .node("http://10.0.0.2:8081")
 *         .token(System.getenv("TWINBELL_TOKEN"))
 *         .build();
 * }</pre>
 */
public final class HttpTaskClient extends TaskClient {
    private static final int CREATED = 201;
    private static final long FIRST_POLL_MILLIS = 20;
    private static final long SLOWEST_POLL_MILLIS = 1000;

    private final NodeCalls calls;

    private HttpTaskClient(Builder builder, HttpClient http) {
        super(builder.app, builder.traceparent, builder.defaults);
        calls = new NodeCalls(List.copyOf(builder.nodes), builder.token, builder.timeout, http);
    }

    /** Begins a client for the tasks of an app. */
    public static Builder builder(String app) {
        return new Builder(app);
    }

    @Override
    public StoredTask put(TaskDraft task, IfTaskExists ifExists) {
        TaskDraft complete = instant(complete(task));
        ObjectNode body = complete.json().deepCopy();
        body.remove(List.of("app", "name"));
        String path = path(complete.text("app"), complete.text("name")) + "?ifExists=" + ifExists;
        NodeAnswer answer = calls.await(new NodeCall("PUT", path, body, ifExists != IfTaskExists.REFUSE));
        JsonNode stored = answer.required();
        log(warnings(stored));
        return stored(complete, stored, result(answer.status(), answer.afterLostAnswer(), ifExists));
    }

    private static StoredTask stored(TaskDraft task, JsonNode answer, StoredTask.StoreResult result) {
        return new StoredTask(answer.path("id").asLong(), task.text("app"), task.text("name"), result);
    }

    /** A task that exists after a lost answer may be the one that the earlier try has created. */
    private static StoredTask.StoreResult result(int status, boolean afterLostAnswer, IfTaskExists ifExists) {
        if (status == CREATED) {
            return StoredTask.StoreResult.CREATED;
        }
        return afterLostAnswer ? StoredTask.StoreResult.UNKNOWN : StoredTask.StoreResult.ofExisting(ifExists);
    }

    @Override
    public List<StoredTask> addAll(List<TaskDraft> tasks, IfTaskExists ifExists) {
        List<TaskDraft> complete =
                complete(tasks).stream().map(HttpTaskClient::instant).toList();
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        complete.forEach(task -> items.add(task.json()));
        NodeAnswer batch = calls.await(new NodeCall(
                "POST", "/api/v1/tasks/batch?ifExists=" + ifExists, items, ifExists != IfTaskExists.REFUSE));
        JsonNode answers = batch.required().path("items");
        List<StoredTask> stored = new ArrayList<>(complete.size());
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < complete.size(); i++) {
            JsonNode answer = answers.path(i);
            int status = answer.path("status").asInt();
            TaskDraft task = complete.get(i);
            if (status >= 300 || !answer.has("id")) {
                TaskRefusedException refusal = NodeAnswer.refusal(status, answer.path("problem"));
                String place = complete.size() == 1 ? "" : "task /" + i + " (" + task.text("name") + "): ";
                throw new TaskRefusedException(status, place + refusal.getMessage(), refusal);
            }
            warnings.addAll(warnings(answer));
            stored.add(stored(task, answer, result(status, batch.afterLostAnswer(), ifExists)));
        }
        log(warnings);
        return stored;
    }

    private static List<String> warnings(JsonNode stored) {
        List<String> warnings = new ArrayList<>();
        stored.path("warnings").forEach(warning -> warnings.add(warning.asText()));
        return warnings;
    }

    @Override
    public boolean cancel(String name) {
        // Without the lookup, a 404 to the repetition of a removal could mean that there never was such a task.
        if (find(name).isEmpty()) {
            return false;
        }
        NodeAnswer answer = calls.await(new NodeCall("DELETE", path(app, name) + "?unfinished=true", null, true));
        if (answer.status() == 404) {
            return answer.afterLostAnswer();
        }
        if (answer.status() == 409) {
            return false;
        }
        answer.required();
        return true;
    }

    /**
     * Gives a task another schedule, and leaves its other fields as they are.
     *
     * @throws TaskRefusedException with status 404 if there is no such task
     */
    public TaskView reschedule(String name, TaskSchedule schedule) {
        ObjectNode patch = ClientJson.object();
        patch.set("schedule", schedule.from(CallClock.now()).json());
        return TaskView.of(
                calls.await(new NodeCall("PATCH", path(app, name), patch, true)).required());
    }

    /** Returns the task; empty if there is none. */
    public Optional<TaskView> find(String name) {
        NodeAnswer answer = calls.await(NodeCall.get(path(app, name)));
        return answer.status() == 404 ? Optional.empty() : Optional.of(TaskView.of(answer.required()));
    }

    /**
     * Lists the tasks of this app in the order in which they were created.
     *
     * @param limit 1 to 1000
     * @param after null, or {@link TaskPage#next} of the previous page
     */
    public TaskPage list(int limit, String after) {
        String cursor = after == null ? "" : "&after=" + encoded(after);
        JsonNode page = calls.await(NodeCall.get("/api/v1/tasks?app=" + encoded(app) + "&limit=" + limit + cursor))
                .required();
        List<TaskView> items = new ArrayList<>();
        page.path("items").forEach(item -> items.add(TaskView.of(item)));
        return new TaskPage(items, page.path("next").textValue());
    }

    /** Pauses the task with a reason. */
    public TaskView pause(String name, String reason) {
        return change(name, "/pause", ClientJson.object().put("reason", reason), true);
    }

    /** Resumes the task from now on. */
    public TaskView resume(String name) {
        return change(name, "/resume", ClientJson.object(), true);
    }

    /**
     * Runs the task now, in addition to its schedule.
     *
     * @return the id of the execution, for {@link #outcomeOf}
     * @throws PairUnavailableException also if the answer was lost: the run may have begun
     */
    public String trigger(String name) {
        return trigger(name, ClientJson.object());
    }

    /**
     * As {@link #trigger(String)}, with a note.
     *
     * @param reason one line, which is a part of the reason of the execution
     */
    public String trigger(String name, String reason) {
        return trigger(name, ClientJson.with(ClientJson.object(), "reason", reason));
    }

    /**
     * As {@link #trigger(String, String)}, with other data than the task's. The token needs the permission to edit tasks.
     *
     * @param payload takes the place of the task's data in this run
     * @throws PayloadException if the payload cannot be written
     */
    public <T> String trigger(String name, String reason, HandlerKey<T> key, T payload) {
        ObjectNode body = ClientJson.with(ClientJson.object(), "reason", reason);
        body.set("data", ClientJson.read(key.write(payload)));
        return trigger(name, body);
    }

    private String trigger(String name, ObjectNode body) {
        return calls.await(new NodeCall("POST", path(app, name) + "/trigger", body, false))
                .required()
                .path("id")
                .asText();
    }

    /**
     * Runs the slots that the task's schedule has in a past span, and that it did not owe. A repetition enters no slot
     * twice.
     *
     * @throws TaskRefusedException if the span is invalid or has more than 1000 slots; with status 404 if there is no such
     *     task
     */
    public BackfillRequest.Entered backfill(String name, BackfillRequest request) {
        return BackfillRequest.Entered.of(
                calls.await(new NodeCall("POST", path(app, name) + "/backfill", request.body(), true))
                        .required());
    }

    /** Cancels the backfilled slots of the task that have not started, and returns their number. */
    public int cancelBackfill(String name) {
        return calls.await(new NodeCall("DELETE", path(app, name) + "/backfill", null, true))
                .required()
                .path("cancelled")
                .asInt();
    }

    /**
     * Tells the pair that the work of the task was done outside. An alert may expect such pings.
     *
     * @return when the ping was recorded, by the database's clock
     */
    public Instant ping(String name) {
        return TaskView.instant(calls.await(new NodeCall("POST", path(app, name) + "/ping", ClientJson.object(), true))
                .required()
                .get("at"));
    }

    /**
     * Asks why the task ran, did not run, or will run at an instant.
     *
     * @param at an instant such as {@code 2026-03-29T01:00:00Z}, or a local time of the task's zone such as
     *     {@code 2026-03-29 02:30}
     */
    public TaskExplanation why(String name, String at) {
        return TaskExplanation.of(calls.await(NodeCall.get(path(app, name) + "/why?at=" + encoded(at)))
                .required());
    }

    /**
     * Waits for the outcome of the first slot of a task, which is the only one of a task that fires once. No thread
     * waits meanwhile.
     *
     * @return a stage with the outcome. It fails with {@link PairUnavailableException} if there is none at the end of
     *     the time
     */
    public CompletionStage<TaskOutcome> outcome(StoredTask task, Duration atMost) {
        String path = "/api/v1/executions?task=" + task.id() + "&order=oldest&limit=1";
        return poll(path, true, CallClock.in(atMost), FIRST_POLL_MILLIS);
    }

    /** As {@link #outcome}, for an execution by its id. */
    public CompletionStage<TaskOutcome> outcomeOf(String executionId, Duration atMost) {
        return poll(path(executionId), false, CallClock.in(atMost), FIRST_POLL_MILLIS);
    }

    private CompletionStage<TaskOutcome> poll(
            String path, boolean isList, CallClock.Deadline deadline, long pauseMillis) {
        return calls.send(NodeCall.get(path))
                .handle((answer, failure) -> {
                    if (failure != null && deadline.isOver()) {
                        return CompletableFuture.<TaskOutcome>failedFuture(failure);
                    }
                    // While no node answers, the execution may go on.
                    JsonNode body = failure == null ? answer.required() : ClientJson.object();
                    JsonNode execution = isList ? body.path("items").path(0) : body;
                    if (TaskOutcome.hasEnded(execution)) {
                        return CompletableFuture.completedFuture(TaskOutcome.of(execution));
                    }
                    if (deadline.isOver()) {
                        String state = execution.path("state").asText("no execution yet");
                        return CompletableFuture.<TaskOutcome>failedFuture(new PairUnavailableException(
                                "no outcome in time; the state is: " + state, false, null));
                    }
                    long pause = Math.min(pauseMillis, deadline.leftMillis());
                    long next = Math.min(SLOWEST_POLL_MILLIS, pauseMillis * 2);
                    return CompletableFuture.supplyAsync(
                                    () -> poll(path, isList, deadline, next), NodeCalls.after(pause))
                            .thenCompose(stage -> stage);
                })
                .thenCompose(stage -> stage);
    }

    @Override
    public ExecutionView.Listed executions(ExecutionSelection which, int limit, String after) {
        String cursor = after == null ? "" : "&after=" + encoded(after);
        JsonNode page = calls.await(NodeCall.get("/api/v1/executions" + which.query(app) + "&limit=" + limit + cursor))
                .required();
        List<ExecutionView> items = new ArrayList<>();
        page.path("items").forEach(item -> items.add(ExecutionView.of(item)));
        return new ExecutionView.Listed(items, page.path("next").textValue());
    }

    @Override
    public ExecutionView rerun(String executionId, String reason) {
        return ExecutionView.of(calls.await(new NodeCall("POST", path(executionId) + "/rerun", because(reason), false))
                .required());
    }

    @Override
    public int rerunAll(ExecutionSelection which, String reason) {
        return calls.await(new NodeCall("POST", "/api/v1/executions/rerun" + which.query(app), because(reason), false))
                .required()
                .path("rerun")
                .asInt();
    }

    private static ObjectNode because(String reason) {
        return ClientJson.with(ClientJson.object(), "reason", reason);
    }

    private TaskView change(String name, String action, JsonNode body, boolean repeatable) {
        return TaskView.of(calls.await(new NodeCall("POST", path(app, name) + action, body, repeatable))
                .required());
    }

    /** Returns the task with its delay as an instant, unless the delay counts from a start that the task names. */
    private static TaskDraft instant(TaskDraft task) {
        if (task.json().has("start") || !task.json().path("schedule").has("in")) {
            return task;
        }
        Duration delay = Duration.parse(task.json().path("schedule").path("in").textValue());
        Instant now = CallClock.now();
        return task.schedule(TaskSchedule.in(delay).from(now));
    }

    private static String path(String app, String name) {
        return "/api/v1/apps/" + encoded(app) + "/tasks/" + encoded(name);
    }

    private static String path(String executionId) {
        if (executionId == null) {
            throw new IllegalArgumentException("executionId must not be null");
        }
        return "/api/v1/executions/" + encoded(executionId);
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Collects the settings of a client. */
    public static final class Builder {
        private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(15);

        private final String app;
        private final List<URI> nodes = new ArrayList<>();
        private String token;
        private Path ca;
        private Duration timeout = USUAL_TIMEOUT;
        private Supplier<String> traceparent;
        private HandlerDefaults defaults = HandlerDefaults.NONE;

        private Builder(String app) {
            this.app = app;
        }

        /**
         * Adds a node: {@code http://host:port} or {@code https://host:port}. Name both nodes of the pair.
         *
         * @throws IllegalArgumentException if it is not such a URL
         */
        public Builder node(String url) {
            URI uri = URI.create(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (!isHttp || uri.getHost() == null || uri.getQuery() != null) {
                throw new IllegalArgumentException("a node is http://host:port or https://host:port, not " + url);
            }
            nodes.add(uri);
            return this;
        }

        /** The token for changes. */
        public Builder token(String token) {
            this.token = token;
            return this;
        }

        /** A PEM file with the only certificates to trust. Default: those of the JVM. */
        public Builder ca(Path pem) {
            ca = pem;
            return this;
        }

        /** The longest time of a call with all its tries. Default: 15 s. */
        public Builder timeout(Duration longest) {
            if (longest.compareTo(Duration.ofMillis(1)) < 0) {
                throw new IllegalArgumentException("the timeout must be positive, not " + longest);
            }
            timeout = longest;
            return this;
        }

        /**
         * Where payloads get their trace context from.
         *
         * @param current returns the header {@code traceparent} of W3C Trace Context, or null outside a trace
         */
        public Builder traceparent(Supplier<String> current) {
            traceparent = current;
            return this;
        }

        /**
         * Gives tasks of java handlers a retry, unless they have one.
         *
         * @param byKey returns the retry for the key of a handler, or null for the default of the app
         */
        public Builder retrying(Function<String, RetryPolicy> byKey) {
            defaults = defaults.withRetries(byKey);
            return this;
        }

        /**
         * Gives tasks of java handlers a policy for runs whose node dies, unless they say otherwise.
         *
         * @param byKey returns the policy for the key of a handler, or null for the default of the app
         */
        public Builder orphans(Function<String, TaskDraft.OrphanHandling> byKey) {
            defaults = defaults.withOrphans(byKey);
            return this;
        }

        /**
         * Returns the client. Nothing is sent yet.
         *
         * @throws IllegalArgumentException if no node is named, or the certificates cannot be read
         */
        public HttpTaskClient build() {
            if (nodes.isEmpty()) {
                throw new IllegalArgumentException("a client needs the URL of a node");
            }
            HttpClient.Builder http = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(timeout.compareTo(Duration.ofSeconds(2)) < 0 ? timeout : Duration.ofSeconds(2));
            if (ca != null) {
                http.sslContext(TrustedCertificates.of(ca));
            }
            return new HttpTaskClient(this, http.build());
        }
    }
}
