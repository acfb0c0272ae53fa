package io.twinbell.node.engine.task;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.task.DefinitionParts;

/**
 * Compiles stored definitions with the calendars and the defaults of the moment. May be called on any thread. What the
 * text of a definition means is not known to the engine.
 */
public interface TaskCompiler {
    /**
     * The result for one definition.
     *
     * @param definition null if the text could not be compiled, for the reason given in {@code error}
     */
    record Compiled(TaskDefinition definition, String error) {}

    /**
     * Compiles the stored definition of a task.
     *
     * @throws DatabaseUnavailableException if a calendar cannot be looked up
     */
    Compiled compile(String app, String name, DefinitionParts definition);

    /** Whether a definition that was compiled earlier used the calendars as they are now. */
    boolean isCurrent(TaskDefinition definition);

    /** Reads calendars and defaults again before the next definition is compiled, because one was written. */
    void calendarsChanged();
}
