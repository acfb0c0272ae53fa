package io.twinbell.tools.cli;

import java.util.List;

/**
 * Commands that another module brings, found on the class path by {@link java.util.ServiceLoader}: what needs a node's own
 * code to answer, such as its configuration, cannot be built here.
 */
public interface CommandSource {
    /** Instances of classes with picocli's {@code @Command}; new ones with each call. */
    List<Object> commands();
}
