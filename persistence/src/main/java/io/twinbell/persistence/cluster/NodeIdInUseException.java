package io.twinbell.persistence.cluster;

/** Another process has this node's id. It may be a predecessor that the database has not noticed to be gone. */
public final class NodeIdInUseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NodeIdInUseException(String message) {
        super(message);
    }
}
