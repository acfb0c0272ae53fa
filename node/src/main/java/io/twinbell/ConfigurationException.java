package io.twinbell;

/** The configuration is wrong. The message names every key that is, with its place. */
public final class ConfigurationException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    ConfigurationException(String message, Throwable cause) {
        super(message, cause);
    }
}
