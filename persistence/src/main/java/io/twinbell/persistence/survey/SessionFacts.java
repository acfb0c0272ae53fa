package io.twinbell.persistence.survey;

/**
 * How safe a session with PostgreSQL is, as the server sees it.
 *
 * @param isLocal whether client and server are on one machine
 * @param isEncrypted whether the session uses TLS
 * @param role the role of the session
 * @param isSuperuser whether the role is a superuser
 * @param rights further rights that a node does not need, separated by commas; empty for none
 * @param passwordEncryption how the server stores new passwords, {@code scram-sha-256} or {@code md5}
 */
public record SessionFacts(
        boolean isLocal,
        boolean isEncrypted,
        String role,
        boolean isSuperuser,
        String rights,
        String passwordEncryption) {}
