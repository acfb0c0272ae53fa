package io.twinbell;

/** Thrown if the configuration is invalid. The message names every invalid key and where it was set. */
public final class ConfigurationException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    ConfigurationException(String message, Throwable cause) {
        super(message, cause);
    }
}
