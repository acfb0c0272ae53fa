package io.twinbell.node.settings;

import java.util.List;

/** Thrown if a configuration is invalid. The message has one line per error. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> errors;

    public ConfigException(List<String> errors) {
        super(String.join(System.lineSeparator(), errors));
        this.errors = List.copyOf(errors);
    }

    public List<String> errors() {
        return errors;
    }
}
