package io.twinbell.tools.cli;

import java.util.List;

/**
 * Provides commands of other modules, found on the class path by {@link java.util.ServiceLoader}. Commands that need a
 * node's own code, such as its configuration, cannot be built in this module.
 */
public interface CommandSource {
    /** New instances, on each call, of classes with picocli's {@code @Command}. */
    List<Object> commands();
}
