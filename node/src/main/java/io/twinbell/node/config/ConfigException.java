package io.twinbell.node.config;

import java.util.List;

/** A configuration that no node should start with. The message is for the person who wrote it, one line for an error. */
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
