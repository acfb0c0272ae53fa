package io.twinbell;

import java.util.Optional;

/**
 * A task whose code the embedding program has scheduled in one line, with {@link Twinbell#every}, {@link Twinbell#cron}
 * or {@link Twinbell#schedule}.
 */
public final class ScheduledCode {
    private final ScheduledCodes codes;
    private final String app;
    private final String name;

    ScheduledCode(ScheduledCodes codes, String app, String name) {
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
        return codes.find(this);
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
}
