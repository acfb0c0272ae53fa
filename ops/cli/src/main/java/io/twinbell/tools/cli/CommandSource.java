package io.twinbell.tools.cli;

import java.util.List;

/** Adds the commands of another module; {@link java.util.ServiceLoader} finds it on the class path. */
public interface CommandSource {
    /** New instances, on each call, of classes with picocli's {@code @Command}. */
    List<Object> commands();
}
