package io.twinbell.node.setup;

import static io.twinbell.node.setup.SqlText.identifier;
import static io.twinbell.node.setup.SqlText.literal;

import io.twinbell.persistence.database.SchemaName;
import java.util.Locale;
import java.util.stream.Collectors;
import org.postgresql.util.PasswordUtil;

/**
 * The steps of {@link DatabaseCreation} as a psql script that a superuser runs, without interaction; it may be run
 * again. A new role gets the configured password, as the hash by which the server checks it. If none is configured, it
 * gets the password in a psql variable, if one is given.
 */
record CreationScript(DatabaseRoles roles, String database, SchemaName schema, boolean isPrivate) {
    String text() {
        String owner = identifier(roles.ofSchema().name());
        return String.format(
                Locale.ROOT,
                """
                -- Run as a superuser: psql -X -f FILE postgres
                \\set ON_ERROR_STOP on
                %6$s%9$s
                select not exists (select from pg_database where datname = %4$s
                  and has_database_privilege('public', oid, 'CONNECT'))%10$s as is_closed \\gset
                select %3$s || case when %7$s then '' else %8$s end where not exists
                  (select from pg_database where datname = %4$s) \\gexec
                \\connect %2$s
                create schema if not exists %5$s authorization %1$s;
                -- Other roles that may connect could delay a takeover.
                \\if :is_closed
                %11$s;
                \\endif
                """,
                owner,
                identifier(database),
                literal("create database " + identifier(database) + " owner " + owner),
                literal(database),
                identifier(schema.name()),
                roles.all().map(this::creation).collect(Collectors.joining("\n")),
                DatabaseCreation.IS_UTF8,
                literal(DatabaseCreation.AS_UTF8),
                grantOfSqlTasks(),
                isPrivate ? " or true" : "",
                String.join(";\n", DatabaseCreation.closing(roles, database)));
    }

    private String grantOfSqlTasks() {
        return roles.ofSqlTasks() == null
                ? ""
                : "\ngrant " + identifier(roles.ofSqlTasks().name()) + " to "
                        + identifier(roles.node().name()) + ";";
    }

    private String creation(DatabaseRoles.Login role) {
        String creation = "create role " + identifier(role.name()) + " login";
        String unlessThere =
                " where not exists (select from pg_roles where rolname = " + literal(role.name()) + ") \\gexec";
        if (role.password() != null) {
            String hash = PasswordUtil.encodeScramSha256(role.password().toCharArray());
            return "select " + literal(creation + " password " + literal(hash)) + unlessThere;
        }
        return String.format(
                Locale.ROOT, """
                -- The configuration has no password for this role. Pass one with -v %1$s=..., or set it later.
                \\if :{?%1$s}
                select %2$s || quote_literal(:'%1$s')%4$s
                \\else
                select %3$s%4$s
                \\endif""", variable(role), literal(creation + " password "), literal(creation), unlessThere);
    }

    private String variable(DatabaseRoles.Login role) {
        if (role == roles.owner()) {
            return "owner_password";
        }
        return role == roles.node() ? "node_password" : "sql_password";
    }
}
