package io.twinbell.spring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.ConflictException;
import io.twinbell.DatabaseException;
import io.twinbell.QuotaException;
import io.twinbell.TaskEntry;
import io.twinbell.Tasks;
import io.twinbell.Twinbell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Keeps the recurring tasks of the application's app in step with the code of all running nodes. A node stores its
 * declarations after it has joined. The master pauses a task if two checks in a row find no running node that declares
 * it. One check is not enough, because a node that restarts is away for a moment. A task that is declared again is
 * resumed, unless a person has paused it.
 */
final class RecurringUpkeep {
    /** The name under which such tasks are paused. It also marks the tasks that code may resume. */
    static final String AUTHOR = "twinbell-spring-boot-starter";

    static final String REASON = "no running node declares this @Recurring task";

    private static final int PAGE = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(RecurringUpkeep.class);

    private final String app;
    private final List<RecurringTask> declared;
    private final boolean pausesUndeclared;
    private final Duration interval;
    private final Set<RecurringTask> stored = new HashSet<>();
    private final Map<String, String> refused = new LinkedHashMap<>();
    private Set<String> missedBefore = Set.of();
    private volatile List<String> undeclared = List.of();
    private volatile Map<String, String> problems = Map.of();
    private ThreadPoolTaskScheduler thread;

    RecurringUpkeep(String app, List<RecurringTask> declared, TwinbellProperties.RecurringTasks settings) {
        if (settings.checkInterval().compareTo(Duration.ofSeconds(1)) < 0) {
            throw InvalidProperty.of(
                    "recurring.check-interval", settings.checkInterval(), "it must be at least one second");
        }
        this.app = app;
        this.declared = declared;
        pausesUndeclared = settings.pauseUndeclared();
        interval = settings.checkInterval();
    }

    void start(Twinbell node) {
        thread = new ThreadPoolTaskScheduler();
        thread.setThreadNamePrefix("twinbell-recurring-");
        thread.setDaemon(true);
        thread.initialize();
        thread.execute(() -> {
            if (node.awaitJoined(Duration.ofMinutes(1))) {
                pass(node);
            }
        });
        thread.scheduleWithFixedDelay(
                () -> pass(node), thread.getClock().instant().plus(interval), interval);
    }

    /** Stores the declarations, in a node that has no threads and whose tables may be new at each start. */
    void storeAll(Twinbell node) {
        stored.clear();
        pass(node);
    }

    void stop() {
        if (thread != null) {
            thread.shutdown();
            thread = null;
        }
    }

    /** One check. If the database does not answer, the next check does the same. */
    void pass(Twinbell node) {
        if (node.joinObstacle().isPresent()) {
            return;
        }
        try {
            put(node.tasks());
            check(node);
        } catch (DatabaseException e) {
            LOG.warn("The recurring tasks of {} are not checked until the next pass: {}", app, e.getMessage());
        }
    }

    private void put(Tasks tasks) {
        for (RecurringTask task : declared) {
            if (stored.contains(task)) {
                continue;
            }
            try {
                tasks.put(app, task.name(), task.json().toString());
                stored.add(task);
                refused.remove(task.name());
            } catch (IllegalArgumentException | QuotaException | ConflictException e) {
                refused.put(task.name(), e.getMessage());
                LOG.error("The recurring task {}/{} is refused: {}", app, task.name(), e.getMessage());
            }
        }
        problems = Map.copyOf(refused);
    }

    private void check(Twinbell node) {
        Set<String> live = node.liveHandlerKeys();
        Set<String> missing = new HashSet<>();
        List<String> paused = new ArrayList<>();
        Tasks tasks = node.tasks();
        long after = 0;
        List<TaskEntry> page;
        do {
            page = tasks.list(app, RecurringTask.TAG, after, PAGE);
            for (TaskEntry task : page) {
                after = task.id();
                RecurringState state = RecurringState.of(task);
                String key = RecurringTask.key(app, task.name());
                if (!state.key().equals(key)) {
                    continue;
                }
                if (live.contains(key)) {
                    resume(tasks, task, state);
                } else if (state.isPausedByCode()) {
                    paused.add(task.name());
                } else if (state.isActive()) {
                    missing.add(task.name());
                }
            }
        } while (page.size() == PAGE);
        if (pausesUndeclared && "MASTER".equals(node.role())) {
            pause(tasks, missing, paused);
        }
        missedBefore = missing;
        undeclared = List.copyOf(paused);
    }

    /** Only the nodes that declare a task resume it, so that an older version does not undo a pause of its successor. */
    private void resume(Tasks tasks, TaskEntry task, RecurringState state) {
        if (state.isPausedByCode()
                && declared.stream().anyMatch(own -> own.name().equals(task.name()))) {
            tasks.resume(app, task.name(), 0);
            LOG.info("The recurring task {}/{} is declared again, so it is resumed", app, task.name());
        }
    }

    private void pause(Tasks tasks, Set<String> missing, List<String> paused) {
        for (String name : missing) {
            if (missedBefore.contains(name)) {
                Optional<TaskEntry> task = tasks.pause(app, name, REASON, AUTHOR);
                if (task.isPresent()) {
                    paused.add(name);
                    LOG.warn(
                            "The recurring task {}/{} is paused: no running node declares it. Remove it, or declare it"
                                    + " again",
                            app,
                            name);
                }
            }
        }
    }

    /** The tasks that are paused because no running node declares them, as far as the latest check shows. */
    List<String> undeclared() {
        return undeclared;
    }

    /** The declared tasks that the node refuses, with the reason. */
    Map<String, String> problems() {
        return problems;
    }

    /** The parts of a stored task that decide whether code may pause or resume it. */
    private record RecurringState(String key, String state, String pausedBy) {
        private static final ObjectMapper MAPPER = new ObjectMapper();

        static RecurringState of(TaskEntry task) {
            try {
                JsonNode json = MAPPER.readTree(task.json());
                return new RecurringState(
                        json.path("handler").path("key").asText(),
                        task.state(),
                        json.path("pausedBy").asText());
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("the node describes a task in JSON", e);
            }
        }

        boolean isActive() {
            return state.equals("ACTIVE");
        }

        boolean isPausedByCode() {
            return state.equals("PAUSED") && pausedBy.equals(AUTHOR);
        }
    }
}
