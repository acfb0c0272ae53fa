package io.twinbell.spring;

import io.twinbell.Twinbell;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Starts the node of the application. A bean of this type replaces the one that starts a node of a pair by the properties;
 * {@code twinbell-spring-boot-test} starts a node in virtual time.
 */
public interface NodeStarter {
    /**
     * Starts the node. It is called again if the application context stops and starts again.
     *
     * @param application adds the app, handlers, interceptors and all else that the application contributes to a builder
     * @param dataSource that of the application, which exactly-once handlers take part in; null if there is none
     */
    Twinbell start(Consumer<Twinbell.Builder> application, DataSource dataSource);

    /**
     * Whether the node has no threads, because time passes only when a test says so. Then recurring tasks are stored before
     * the start ends and nothing is checked in the background, and handlers do not run on virtual threads.
     */
    default boolean isInVirtualTime() {
        return false;
    }
}
