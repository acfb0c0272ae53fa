package io.twinbell.handler;

import java.util.Map;

/**
 * Handlers in a jar of their own. A jar in the node's plugin directory names its implementation in
 * {@code META-INF/services/io.twinbell.handler.HandlerPlugin}; it is made once, by its public constructor without
 * parameters. The jar sees this package, SLF4J and the JDK, and neither the node's libraries nor other jars.
 */
public interface HandlerPlugin {
    /** The handlers, by the keys that tasks name them with. */
    Map<String, TaskHandler> handlers();
}
