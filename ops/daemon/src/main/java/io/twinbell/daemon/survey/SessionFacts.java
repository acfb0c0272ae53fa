package io.twinbell.daemon.survey;

import java.util.List;

/**
 * How safe a session with PostgreSQL is, as the server sees it.
 *
 * @param isLocal whether client and server are on one machine
 * @param isEncrypted whether the session uses TLS
 * @param role the role of the session
 * @param passwordEncryption how the server stores new passwords, {@code scram-sha-256} or {@code md5}
 * @param others who else may connect
 */
public record SessionFacts(
        boolean isLocal, boolean isEncrypted, RoleRights role, String passwordEncryption, OtherRoles others) {
    /**
     * The role of a session.
     *
     * @param isSuperuser whether the role is a superuser
     * @param rights further rights that a node does not need, separated by commas; empty for none
     * @param ownsSchema whether the role has the rights of the schema's owner
     * @param mayChangeAudit whether the role may change or delete entries of the audit
     */
    public record RoleRights(
            String name, boolean isSuperuser, String rights, boolean ownsSchema, boolean mayChangeAudit) {}

    /**
     * Roles that may connect to the database and are neither the pair's nor superusers.
     *
     * @param isEverybody whether every role of the server may connect
     * @param names the first of them that can log in
     */
    public record OtherRoles(boolean isEverybody, List<String> names) {}
}
