package io.twinbell;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.pair.LibraryNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A task whose code the embedding program has scheduled in one line, with {@link Twinbell#every}, {@link Twinbell#cron}
 * or {@link Twinbell#schedule}.
 */
public final class ScheduledCode {
    private final Registry codes;
    private final String app;
    private final String name;

    ScheduledCode(Registry codes, String app, String name) {
        this.codes = codes;
        this.app = app;
        this.name = name;
    }

    public String app() {
        return app;
    }

    public String name() {
        return name;
    }

    /** Returns the task as it is stored now; empty if it has been removed, here or elsewhere. */
    public Optional<TaskEntry> find() {
        return codes.tasks.find(app, name);
    }

    /**
     * Removes the task from the pair, so that it no longer fires on any node. Its executions stay in the ledger, and a
     * running one continues. Slots that were claimed before the removal still run.
     *
     * @return false if the task was already removed, here or elsewhere
     * @throws DatabaseException if the database does not answer; a retry may succeed
     */
    public boolean cancel() {
        return codes.cancel(this);
    }

    /**
     * Stores a task for each piece of code that the embedding program schedules in one line, and registers the code.
     */
    static final class Registry {
        private static final Duration JOIN_BOUND = Duration.ofMinutes(1);

        private final String app;
        private final Tasks tasks;
        private final LibraryNode node;
        private final Map<String, ScheduledCode> byName = new HashMap<>();

        Registry(String app, Tasks tasks, LibraryNode node) {
            this.app = app;
            this.tasks = tasks;
            this.node = node;
        }

        /**
         * Registers the code before it stores the task: a slot that is due at once then finds its code.
         *
         * @param json the task without app, name and handler
         */
        synchronized ScheduledCode schedule(String name, String json, TaskHandler code) {
            Failures.required(name, "a name");
            Failures.required(code, "the code");
            if (byName.containsKey(name)) {
                throw new IllegalStateException("\"" + name + "\" is already scheduled: cancel it first");
            }
            String task = withHandler(json, key(name));
            try {
                node.handlers().register(key(name), code);
                if (!node.awaitJoined(JOIN_BOUND)) {
                    throw new IllegalStateException("this node has not joined the pair: "
                            + node.joinObstacle().orElse("the wait was interrupted"));
                }
                tasks.put(app, name, task);
            } catch (RuntimeException e) {
                node.handlers().withdraw(key(name));
                throw e;
            }
            ScheduledCode scheduled = new ScheduledCode(this, app, name);
            byName.put(name, scheduled);
            return scheduled;
        }

        /** The code stays registered, because slots that were claimed before may still start. */
        synchronized boolean cancel(ScheduledCode code) {
            if (byName.get(code.name) != code) {
                return false;
            }
            boolean removed = tasks.remove(app, code.name);
            byName.remove(code.name);
            return removed;
        }

        private String key(String name) {
            return "code:" + app + "/" + name;
        }

        private static String withHandler(String json, String key) {
            if (!(StrictJson.read(Failures.required(json, "the JSON").getBytes(StandardCharsets.UTF_8))
                    instanceof ObjectNode task)) {
                throw new IllegalArgumentException("a task must be a JSON object");
            }
            if (task.has("handler")) {
                throw new IllegalArgumentException("/handler is not allowed here: the handler is the given code");
            }
            task.putObject("handler").put("type", "java").put("key", key);
            return StrictJson.write(task);
        }
    }
}
