package io.twinbell;

/** Thrown if a node cannot start, for example because a port is in use. No part of the node keeps running. */
public final class StartException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
