package io.twinbell.handler;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Supplies handlers from a plugin jar. A jar in the node's plugin directory names its implementation in
 * {@code META-INF/services/io.twinbell.handler.HandlerPlugin}. The node creates one instance, by the public
 * constructor without parameters. The jar sees this package, SLF4J and the JDK, but neither the node's libraries nor
 * other jars.
 *
 * <p>The node first calls {@link #onInit} of all plugins, then asks them for their code. When it may join the pair, it
 * calls {@link #onStart} of all plugins. Each time, a plugin comes after those that it {@linkplain #requires requires}.
 * A call that throws, or takes longer than a minute, stops the node.
 */
public interface HandlerPlugin {
    /**
     * Returns the name by which other plugins {@linkplain #requires require} this one. Default: the name of its class.
     */
    default String name() {
        return getClass().getName();
    }

    /** Returns the names of the plugins that must be initialised and started before this one. */
    default Set<String> requires() {
        return Set.of();
    }

    /** Prepares the plugin, before the node asks for its handlers and interceptors. */
    default void onInit() throws Exception {}

    /**
     * Starts the plugin. The node is not master yet, so no handler runs on it. The other node calls this too, so store
     * tasks with {@link PluginTasks#put}: a second call with the same task changes nothing.
     *
     * @param tasks can be used until {@link #onStop} returns
     */
    default void onStart(PluginTasks tasks) throws Exception {}

    /**
     * Releases the plugin's resources. Called in reverse order when the node stops, after the last handler has ended,
     * on each plugin whose {@link #onInit} was called, even if that failed. A call that fails or takes too long is
     * logged.
     */
    default void onStop() throws Exception {}

    /** Returns the handlers by the keys that tasks use to name them. */
    Map<String, TaskHandler> handlers();

    /**
     * Returns the plugin's interceptors, in their order. They apply to all runs of the node, not only to its handlers.
     */
    default List<ScopedInterceptor> interceptors() {
        return List.of();
    }
}
