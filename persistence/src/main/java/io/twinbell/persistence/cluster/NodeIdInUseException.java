package io.twinbell.persistence.cluster;

/**
 * Thrown when another process has this node's id. It may be a predecessor whose end the database has not noticed yet.
 */
public final class NodeIdInUseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NodeIdInUseException(String message) {
        super(message);
    }
}
