package io.twinbell.persistence.cluster;

/**
 * Thrown when a node must not join, because its servers belong to another cluster or its place is taken. A person has
 * to decide.
 */
public final class WrongClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WrongClusterException(String message) {
        super(message);
    }
}
