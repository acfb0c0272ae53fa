package io.twinbell.node.handler.jvm;

import io.twinbell.handler.TaskHandler;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry of {@code java} handlers by key. A key that is registered twice is refused, because either choice would
 * be a guess. Plugins and the program register before the node starts; the program may also replace keys of its own
 * while it runs.
 */
public final class JavaHandlers {
    private static final Logger LOG = LoggerFactory.getLogger(JavaHandlers.class);

    /** The origin of handlers that the program which embeds the node has registered. */
    public static final String PROGRAM = "the embedding program";

    private final Map<String, List<Registration>> byKey = new ConcurrentHashMap<>();

    private final List<String> leftOut = new ArrayList<>();

    private record Registration(TaskHandler handler, String origin) {}

    /** @param origin the program or plugin that offers the handler, for messages */
    public void add(String key, TaskHandler handler, String origin) {
        List<Registration> offers = new ArrayList<>(byKey.getOrDefault(key, List.of()));
        offers.add(new Registration(handler, origin));
        byKey.put(key, List.copyOf(offers));
        if (offers.size() > 1) {
            LOG.error("{}", clash(key, offers));
        }
    }

    void replace(String key, TaskHandler handler, String origin) {
        byKey.put(key, List.of(new Registration(handler, origin)));
    }

    void remove(String key) {
        byKey.remove(key);
    }

    Set<String> keys() {
        return Collections.unmodifiableSet(byKey.keySet());
    }

    /** @param what the plugin that was left out, and the reason */
    void leftOut(String what) {
        leftOut.add(what);
    }

    /** @throws NoSuchHandlerException if the key has no handler, or more than one */
    TaskHandler get(String key) throws NoSuchHandlerException {
        List<Registration> offers = byKey.getOrDefault(key, List.of());
        if (offers.isEmpty()) {
            throw new NoSuchHandlerException("no handler is registered under the key \"" + key + "\" on this node"
                    + (leftOut.isEmpty() ? "" : "; not loaded: " + String.join("; ", leftOut)));
        }
        if (offers.size() > 1) {
            throw new NoSuchHandlerException(clash(key, offers));
        }
        return offers.get(0).handler();
    }

    private static String clash(String key, List<Registration> offers) {
        List<String> origins = offers.stream().map(Registration::origin).toList();
        return "the key \"" + key + "\" is refused, because several sources offer a handler for it: "
                + String.join(" and ", origins);
    }

    /** Thrown if a task names a key that this node cannot run. */
    static final class NoSuchHandlerException extends Exception {
        private static final long serialVersionUID = 1L;

        NoSuchHandlerException(String message) {
            super(message);
        }
    }
}
