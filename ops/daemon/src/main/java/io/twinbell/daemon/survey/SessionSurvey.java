package io.twinbell.daemon.survey;

import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;

/** Reads what the role of a session may do, and who else may connect to the database. */
final class SessionSurvey {
    private static final int MOST_NAMES = 5;

    private static final String SESSION = String.format(Locale.ROOT, """
            select coalesce(inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() = '::1'
                            or inet_client_addr() = inet_server_addr(), true),
                   coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false),
                   current_user::text, r.rolsuper,
                   concat_ws(', ', case when r.rolcreaterole then 'CREATEROLE' end,
                             case when r.rolcreatedb then 'CREATEDB' end,
                             case when r.rolreplication then 'REPLICATION' end,
                             case when r.rolbypassrls then 'BYPASSRLS' end),
                   coalesce((select pg_has_role(n.nspowner, 'USAGE') from pg_namespace n where n.nspname = 'twinbell'), false),
                   exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                           where n.nspname = 'twinbell' and c.relname ~ '^audit_(entry|entry_default|seal|head)$'
                             and has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE')),
                   current_setting('password_encryption'),
                   has_database_privilege('public', d.oid, 'CONNECT'),
                   array(select o.rolname::text from pg_roles o
                         where o.rolcanlogin and not o.rolsuper and o.oid <> r.oid
                           and has_database_privilege(o.oid, d.oid, 'CONNECT')
                           and not pg_has_role(o.oid, d.datdba, 'MEMBER')
                           and not exists (select from pg_auth_members m where m.member = r.oid and m.roleid = o.oid)
                           and not exists (select from pg_namespace n
                                           where n.nspname = 'twinbell' and pg_has_role(o.oid, n.nspowner, 'MEMBER'))
                         order by 1 limit %d)
            from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()""", MOST_NAMES);

    private final DedicatedConnection connection;

    SessionSurvey(DedicatedConnection connection) {
        this.connection = connection;
    }

    SessionFacts survey() {
        return connection.run(c -> {
            try (Statement statement = c.createStatement();
                    ResultSet row = statement.executeQuery(SESSION)) {
                row.next();
                return facts(row);
            }
        });
    }

    private static SessionFacts facts(ResultSet row) throws SQLException {
        return new SessionFacts(
                row.getBoolean(1),
                row.getBoolean(2),
                new SessionFacts.RoleRights(
                        row.getString(3), row.getBoolean(4), row.getString(5), row.getBoolean(6), row.getBoolean(7)),
                row.getString(8),
                new SessionFacts.OtherRoles(
                        row.getBoolean(9), List.of((String[]) row.getArray(10).getArray())));
    }
}
