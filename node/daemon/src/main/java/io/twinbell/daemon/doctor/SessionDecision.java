package io.twinbell.daemon.doctor;

import io.twinbell.persistence.survey.SessionFacts;

/** Judges how safe the sessions of a node with the database are. A pure decision. */
final class SessionDecision {
    private static final String ENCRYPTION = "database TLS";
    private static final String ROLE = "database role";
    private static final String VERIFIED = "verify-full";

    private SessionDecision() {}

    /** @param sslMode of database.url; null if it has none */
    static void judge(SessionFacts session, String sslMode, Findings findings) {
        encryption(session, sslMode, findings);
        role(session, findings);
        if (session.passwordEncryption().equals("md5")) {
            findings.warn(
                    "passwords",
                    "the server stores new passwords as md5, which can be broken and replayed",
                    "set password_encryption = 'scram-sha-256', and set the passwords of the roles again");
        }
    }

    private static void encryption(SessionFacts session, String sslMode, Findings findings) {
        String advice = "add sslmode=verify-full&sslrootcert=FILE to database.url";
        if (session.isLocal()) {
            findings.ok(ENCRYPTION, "not needed: the server is on this machine");
        } else if (!session.isEncrypted()) {
            findings.warn(ENCRYPTION, "passwords and data travel unencrypted to the database", advice);
        } else if (!VERIFIED.equals(sslMode)) {
            findings.warn(
                    ENCRYPTION,
                    "the session is encrypted, but another server could pretend to be the database (sslmode "
                            + (sslMode == null ? "is not set" : sslMode) + ")",
                    advice);
        } else {
            findings.ok(ENCRYPTION, "the session is encrypted, and the server proved who it is");
        }
    }

    private static void role(SessionFacts session, Findings findings) {
        String advice = "use a role without these rights; 'twinbell init-db' creates one";
        if (session.isSuperuser()) {
            findings.warn(
                    ROLE,
                    session.role()
                            + " is a superuser: its password is enough to read and change everything on the server",
                    advice);
        } else if (!session.rights().isEmpty()) {
            findings.warn(ROLE, session.role() + " has rights that no node needs: " + session.rights(), advice);
        } else {
            findings.ok(ROLE, session.role() + " has no rights beyond its schema");
        }
    }
}
