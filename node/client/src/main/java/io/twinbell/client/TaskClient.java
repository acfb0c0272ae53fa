package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.client.TaskDraft.OrphanHandling;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Stores and cancels tasks of one app, lists its executions and runs them again. {@link HttpTaskClient} also queries
 * tasks and waits for outcomes; {@link JdbcTaskClient} takes part in the application's transaction. Clients may be used
 * by many threads. What the pair warns of when it stores a task, such as of a handler key that no node has, goes to the
 * {@link System.Logger} with the name of this class.
 *
 * <pre>{@code
 * tasks.schedule(CLOSE, new Invoice(4711)).in(Duration.ofHours(48)).named("order-4711");
 * tasks.cancel("order-4711");
 * }</pre>
 */
public abstract sealed class TaskClient permits HttpTaskClient, JdbcTaskClient {
    /** The maximum number of tasks in one call of {@link #addAll}. */
    public static final int MOST_AT_ONCE = 10_000;

    private static final System.Logger LOG = System.getLogger(TaskClient.class.getName());
    private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    final String app;
    final Supplier<String> traceparent;
    final HandlerDefaults defaults;

    /**
     * What tasks of java handlers get that their drafts leave out. Both functions take the key of the handler, and
     * return null for the default of the app.
     */
    record HandlerDefaults(Function<String, RetryPolicy> retries, Function<String, OrphanHandling> orphans) {
        static final HandlerDefaults NONE = new HandlerDefaults(key -> null, key -> null);

        HandlerDefaults withRetries(Function<String, RetryPolicy> byKey) {
            return new HandlerDefaults(byKey, orphans);
        }

        HandlerDefaults withOrphans(Function<String, OrphanHandling> byKey) {
            return new HandlerDefaults(retries, byKey);
        }

        TaskDraft complete(TaskDraft task) {
            String key = task.javaKey();
            if (key == null) {
                return task;
            }
            RetryPolicy retry = task.json().has("retry") ? null : retries.apply(key);
            OrphanHandling orphan = task.json().has("orphan") ? null : orphans.apply(key);
            TaskDraft retried = retry == null ? task : task.retry(retry);
            return orphan == null ? retried : retried.orphan(orphan);
        }
    }

    TaskClient(String app, Supplier<String> traceparent, HandlerDefaults defaults) {
        if (app == null || app.isEmpty()) {
            throw new IllegalArgumentException("a client needs the app of its tasks");
        }
        this.app = app;
        this.traceparent = traceparent;
        this.defaults = defaults;
    }

    /** Nobody else reads them: a key that no node has would otherwise be noticed only when the task does not run. */
    static void log(List<String> warnings) {
        warnings.stream()
                .distinct()
                .forEach(warning -> LOG.log(System.Logger.Level.WARNING, "a task was stored, but " + warning));
    }

    /**
     * Begins a task for the java handler of this key, and stores nothing: {@link TaskScheduling#named} or {@link
     * TaskScheduling#unnamed} at the end of the chain stores it. Without one of the two the task never fires, and no
     * error says so.
     *
     * @throws PayloadException if the payload cannot be written as JSON
     */
    @TaskScheduling.CheckReturnValue
    public <T> TaskScheduling schedule(HandlerKey<T> key, T payload) {
        JsonNode data = key.tree(payload, currentTrace());
        TaskDraft draft = TaskDraft.of(TaskAction.java(key), TaskSchedule.in(Duration.ZERO));
        return new TaskScheduling(this, data.isNull() ? draft : draft.data(data), IfTaskExists.KEEP);
    }

    /**
     * Stores a task for the java handler of this key that fires once: the short way for what has no other fields. A task
     * of this name that will still fire is kept.
     *
     * @param at 1970 to 2199, to the millisecond; an instant that has passed fires at once
     * @throws PayloadException if the payload cannot be written as JSON
     * @throws TaskRefusedException if the name, the instant or the size of the payload is not valid
     * @throws PairUnavailableException if nothing answered in time
     */
    public <T> StoredTask schedule(HandlerKey<T> key, String name, Instant at, T payload) {
        return schedule(key, payload).at(at).named(name);
    }

    /**
     * Stores a task, which must have a name.
     *
     * @return the task, which says whether it is new, was kept or was replaced
     * @throws TaskRefusedException if the task is not valid, or exists and must not
     * @throws PairUnavailableException if nothing answered in time
     */
    public abstract StoredTask put(TaskDraft task, IfTaskExists ifExists);

    /**
     * Stores many tasks, which is much faster than storing them one by one.
     *
     * @param tasks at most {@value #MOST_AT_ONCE}, each with a name
     * @return the stored tasks, in the same order, each of which says whether it is new, was kept or was replaced
     * @throws TaskRefusedException if a task is refused. Over JDBC none is stored then; over HTTP the others are
     * @throws PairUnavailableException if nothing answered in time
     */
    public abstract List<StoredTask> addAll(List<TaskDraft> tasks, IfTaskExists ifExists);

    /**
     * Removes the task of this app, so that it no longer fires. Changes nothing if it is FINISHED: its last
     * slot was skipped, missed or claimed, which happens up to half a second before its fire time. The claimed run
     * continues, its retries follow, and after a crash it may begin again. If a task with further runs is removed during a
     * run, that run continues, but is not tried again.
     *
     * @return whether that came in time: false if there is no such task, or if it is FINISHED. Over HTTP, a
     *     finished task that was stored again by SQL counts as finished until the master has read it
     */
    public abstract boolean cancel(String name);

    /**
     * Lists executions of this app, the newest fire time first.
     *
     * @param limit 1 to 1000
     * @param after null, or {@link ExecutionView.Listed#next} of the previous page
     * @throws TaskRefusedException if the selection, the limit or the cursor is not valid; with status 403 if this app is
     *     not allowed
     * @throws PairUnavailableException if nothing answered in time
     */
    public abstract ExecutionView.Listed executions(ExecutionSelection which, int limit, String after);

    /**
     * Runs an ended execution again, also one that has SUCCEEDED: the next attempt of its slot, under the same idempotency
     * key. Over JDBC it starts after the commit.
     *
     * @param executionId as {@link ExecutionView#id} has it, for example {@code 17-1767225600000}
     * @param reason one line of at most 500 characters, which is a part of the reason of the execution
     * @return the execution after the request: PENDING, unless the master has already begun
     * @throws TaskRefusedException with status 404 if there is no such execution, also if the text is no id; with 409 if it
     *     has not ended or its task was removed, and with 403 if its app is not allowed
     * @throws PairUnavailableException if nothing answered in time. Over HTTP the run may have begun, if the answer was lost
     */
    public abstract ExecutionView rerun(String executionId, String reason);

    /**
     * Runs ended executions of this app again, oldest first, at most 10,000 in one call. Those that fail again meanwhile
     * are not run a second time. Over JDBC all of them are locked until the commit, and start after it.
     *
     * @param which with final states, as {@link ExecutionSelection#failed} has
     * @param reason one line of at most 500 characters, which is a part of the reason of each execution
     * @return the number; 10,000 if there may be more
     * @throws TaskRefusedException if the selection is not valid, or this app is not allowed
     * @throws PairUnavailableException if nothing answered in time. Over HTTP some or all may run again, if the answer was
     *     lost
     */
    public abstract int rerunAll(ExecutionSelection which, String reason);

    /** Returns the app of the tasks that name no other. */
    public String app() {
        return app;
    }

    TaskDraft complete(TaskDraft task) {
        if (task.text("name") == null) {
            throw new IllegalArgumentException("a task must have a name: " + task);
        }
        return defaults.complete(task.inApp(app));
    }

    List<TaskDraft> complete(List<TaskDraft> tasks) {
        if (tasks.size() > MOST_AT_ONCE) {
            throw new IllegalArgumentException(tasks.size() + " tasks; one call accepts at most " + MOST_AT_ONCE);
        }
        return tasks.stream().map(this::complete).toList();
    }

    private String currentTrace() {
        String trace = traceparent == null ? null : traceparent.get();
        if (trace != null && !TRACEPARENT.matcher(trace).matches()) {
            throw new IllegalArgumentException("not a traceparent of W3C Trace Context: " + trace);
        }
        return trace;
    }
}
