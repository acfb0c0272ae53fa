package io.twinbell.handler;

import java.util.Optional;

/**
 * The tasks of the pair, for a plugin. Tasks are written in the JSON of the HTTP API. Each call is a transaction of its
 * own. All methods throw {@link IllegalStateException} if the database does not answer.
 */
public interface PluginTasks {
    /**
     * Creates the task, or replaces its definition if it exists. Repeating a call with the same definition changes
     * nothing, except for a delay such as {@code {"in": "PT2H"}}, which counts from each call.
     *
     * @param json the task without app and name, for example {@code {"schedule": {"every": "PT5S"}, "handler": …}}
     * @return the id of the task
     * @throws IllegalArgumentException if the task is invalid; the message names every invalid field
     */
    long put(String app, String name, String json);

    /** Returns the task as JSON, with its id, state and next fire time; empty if there is none. */
    Optional<String> find(String app, String name);

    /**
     * Changes part of a task with a merge patch (RFC 7396), for example {@code {"enabled": false}}.
     *
     * @return false if there is no such task
     * @throws IllegalArgumentException if the patch is invalid
     */
    boolean patch(String app, String name, String json);

    /** Removes the task, so that it no longer fires; returns false if there is no such task. */
    boolean remove(String app, String name);
}
