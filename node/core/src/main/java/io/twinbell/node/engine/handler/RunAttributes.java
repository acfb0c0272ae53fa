package io.twinbell.node.engine.handler;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.MDC;

/** The values that interceptors set for one attempt, and how many of the interceptors let it proceed. */
public final class RunAttributes {
    static final int MAX_ATTRIBUTES = 20;
    private static final int MAX_VALUE = 1000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,63}");

    /** Null until the first value: most attempts have none. */
    private Map<String, String> values;

    private int passed;

    public synchronized void put(String name, String value) {
        if (name == null || !NAME.matcher(name).matches() || RunLog.NAMES.contains(name)) {
            throw new IllegalArgumentException("an attribute cannot have the name \"" + name + "\"");
        }
        if (value == null || value.length() > MAX_VALUE) {
            throw new IllegalArgumentException(
                    "the attribute " + name + " needs a value of at most " + MAX_VALUE + " characters");
        }
        values = values == null ? new LinkedHashMap<>() : values;
        if (values.size() >= MAX_ATTRIBUTES && !values.containsKey(name)) {
            throw new IllegalArgumentException("an attempt has at most " + MAX_ATTRIBUTES + " attributes");
        }
        values.put(name, value);
    }

    /** Returns null if the value was not set. */
    public synchronized String get(String name) {
        return values == null ? null : values.get(name);
    }

    /** Adds the values to the log context of this thread, until {@link RunLog#leave}. */
    public synchronized void enterLogContext() {
        if (values != null) {
            values.forEach(MDC::put);
        }
    }

    /** Records that the first interceptors, in their order, have let the attempt proceed. */
    public synchronized void passed(int interceptors) {
        passed = interceptors;
    }

    public synchronized int passed() {
        return passed;
    }
}
