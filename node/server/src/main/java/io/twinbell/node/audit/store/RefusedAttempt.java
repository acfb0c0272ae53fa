package io.twinbell.node.audit.store;

import io.twinbell.persistence.actor.Actor;

/**
 * An attempt that a node refused.
 *
 * @param client whose attempt it was; its request is the first one where the entry stands for many
 * @param act what was refused: {@code SIGN_IN}, {@code REQUEST} or {@code CONNECT}
 * @param detail why
 */
public record RefusedAttempt(Actor client, String act, String detail) {
    /** Unknown credentials, or none where some are needed. */
    public static final String SIGN_IN = "SIGN_IN";

    /** A request that the client's rights do not permit, or that a foreign page sent. */
    public static final String REQUEST = "REQUEST";

    /** A connection that was closed before the client could sign in. */
    public static final String CONNECT = "CONNECT";

    /** Equal attempts, as one entry. */
    public record Counted(RefusedAttempt first, long items) {}
}
