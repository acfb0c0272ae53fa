package io.twinbell.node.pair;

import io.twinbell.handler.TaskHandler;
import java.util.Set;

/** The java handlers that the embedding program registers while its node runs. */
public interface HandlerRegistry {
    /** The keys of the java handlers of all running nodes. */
    Set<String> live();

    /** Registers the code under the key, in place of other code that the program registered under it. */
    void register(String key, TaskHandler code);

    /** Takes back {@link #register}. */
    void withdraw(String key);
}
