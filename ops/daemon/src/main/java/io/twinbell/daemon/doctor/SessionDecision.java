package io.twinbell.daemon.doctor;

import io.twinbell.daemon.survey.SessionFacts;

/** Judges how safe the sessions of a node with the database are. A pure decision. */
final class SessionDecision {
    private static final String ENCRYPTION = "database TLS";
    private static final String ROLE = "database role";
    private static final String ACCESS = "database access";
    private static final String VERIFIED = "verify-full";

    private SessionDecision() {}

    /** @param sslMode of database.url; null if it has none */
    static void judge(SessionFacts session, String sslMode, Findings findings) {
        encryption(session, sslMode, findings);
        role(session.role(), findings);
        others(session.others(), findings);
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

    private static void role(SessionFacts.RoleRights role, Findings findings) {
        String advice = "use a role without these rights; 'twinbell init-db' creates one";
        if (role.isSuperuser()) {
            findings.warn(
                    ROLE,
                    role.name() + " is a superuser: its password is enough to read and change everything on the server",
                    advice);
            return;
        }
        if (!role.rights().isEmpty()) {
            findings.warn(ROLE, role.name() + " has rights that no node needs: " + role.rights(), advice);
        }
        if (role.ownsSchema()) {
            findings.warn(
                    ROLE,
                    role.name() + " owns the schema: it can create and drop tables, and take the right to change the"
                            + " audit",
                    "set database.owner.user to another role and run 'twinbell init-db --admin-user ROLE'");
        } else if (role.mayChangeAudit()) {
            findings.warn(
                    ROLE,
                    role.name() + " may change or delete entries of the audit",
                    "revoke update, delete and truncate on twinbell.audit_entry, audit_entry_default, audit_seal and"
                            + " audit_head");
        } else if (role.rights().isEmpty()) {
            findings.ok(ROLE, role.name() + " has no rights beyond its schema");
        }
    }

    private static void others(SessionFacts.OtherRoles others, Findings findings) {
        String names = String.join(", ", others.names());
        if (others.isEverybody()) {
            findings.warn(
                    ACCESS,
                    "every role of the server may connect to this database"
                            + (names.isEmpty() ? "" : ", such as " + names)
                            + ", and take the master's lock, so that a takeover waits for ZooKeeper's session timeout",
                    "if only Twinbell uses it, run 'twinbell init-db --private --admin-user ROLE'");
        } else if (names.isEmpty()) {
            findings.ok(ACCESS, "only the roles of the pair may connect to the database");
        } else {
            findings.ok(ACCESS, "besides the pair's, these roles may connect, and delay a takeover: " + names);
        }
    }
}
