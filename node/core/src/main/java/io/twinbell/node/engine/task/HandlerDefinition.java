package io.twinbell.node.engine.task;

/** What the engine must know of a task's handler. What the handler does is known to the code that runs it. */
public interface HandlerDefinition {
    /** The name of the type in the API, such as {@code http}. */
    String type();

    /** The key of a java handler, for which a limit can be set; null for other types. */
    default String key() {
        return null;
    }

    /** Whether the handler only starts the work, and its outcome comes by a callback. */
    default boolean awaitsCallback() {
        return false;
    }
}
