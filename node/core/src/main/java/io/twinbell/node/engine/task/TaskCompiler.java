package io.twinbell.node.engine.task;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.task.DefinitionParts;

/**
 * Compiles stored definitions with the calendars, the defaults and the schedule types of the moment. May be called on
 * any thread. What the text of a definition means is not known to the engine.
 */
public interface TaskCompiler {
    /**
     * The result for one definition.
     *
     * @param definition null if the text could not be compiled, for the reason given in {@code error}
     * @param waits whether the text is valid, but this node cannot compute its fire times now
     */
    record Compiled(TaskDefinition definition, String error, boolean waits) {}

    /**
     * Compiles the stored definition of a task.
     *
     * @throws DatabaseUnavailableException if a calendar cannot be looked up
     */
    Compiled compile(String app, String name, DefinitionParts definition);

    /**
     * Compiles the definition of an existing ledger row. Its run does not depend on the schedule, so a missing schedule
     * type does not matter.
     *
     * @throws DatabaseUnavailableException if a calendar cannot be looked up
     */
    Compiled compileForRun(String app, String name, String json);

    /** Whether a definition that was compiled earlier used the calendars as they are now. */
    boolean isCurrent(TaskDefinition definition);

    /** Reads calendars and defaults again before the next definition is compiled, because one was written. */
    void calendarsChanged();
}
