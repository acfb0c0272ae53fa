package io.twinbell.node.schedule.custom;

import io.twinbell.node.engine.task.ScheduleTypeException;
import io.twinbell.node.schedule.text.SafeQuote;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.schedule.ScheduleType;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The custom schedule types that this node has, by name. They are registered before the node starts. */
public final class ScheduleTypes implements AutoCloseable {
    /** No types. */
    public static final ScheduleTypes NONE = new ScheduleTypes(Map.of());

    private static final Logger LOG = LoggerFactory.getLogger(ScheduleTypes.class);
    private static final int MAX_TYPES = 50;

    private final Map<String, RegisteredType> byName;

    private ScheduleTypes(Map<String, RegisteredType> byName) {
        this.byName = byName;
    }

    /**
     * Checks and registers the types. A type of a plugin that fails its check is left out.
     *
     * @throws IllegalArgumentException if a type of the program fails its check, or if two have the same name
     */
    public static ScheduleTypes of(Collection<ScheduleType> program, Collection<ScheduleType> plugins, Ticker ticker) {
        Map<String, RegisteredType> byName = new TreeMap<>();
        ScheduleTypes registered = new ScheduleTypes(byName);
        try {
            program.forEach(type -> registered.add(type, ticker));
            plugins.forEach(type -> registered.tryToAdd(type, ticker));
            return registered;
        } catch (RuntimeException e) {
            registered.close();
            throw e;
        }
    }

    private void tryToAdd(ScheduleType type, Ticker ticker) {
        try {
            add(type, ticker);
        } catch (RuntimeException | Error e) {
            LOG.error("a schedule type of a plugin was left out: {}", e.toString());
        }
    }

    private void add(ScheduleType type, Ticker ticker) {
        String name = type.name();
        if (byName.size() >= MAX_TYPES) {
            throw new IllegalArgumentException("a node has at most " + MAX_TYPES + " schedule types");
        }
        if (name != null && byName.containsKey(name)) {
            throw new IllegalArgumentException("a schedule type \"" + name + "\" is already registered");
        }
        byName.put(name, RegisteredType.checked(type, name, ticker));
    }

    public Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    /**
     * Returns the schedule of that type with these parameters.
     *
     * @param params the text of a JSON object
     * @throws io.twinbell.node.engine.task.ScheduleException if the parameters are invalid
     * @throws ScheduleTypeException if this node has no such type, or its code fails
     */
    public CustomSchedule parse(String name, String params) {
        RegisteredType type = byName.get(name);
        if (type == null) {
            throw new ScheduleTypeException("this node has no schedule type " + SafeQuote.of(name)
                    + (byName.isEmpty() ? "" : "; it has " + String.join(", ", byName.keySet())));
        }
        return type.parse(params);
    }

    @Override
    public void close() {
        byName.values().forEach(RegisteredType::close);
    }
}
