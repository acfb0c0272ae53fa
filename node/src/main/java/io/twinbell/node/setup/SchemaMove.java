package io.twinbell.node.setup;

import static io.twinbell.node.setup.DatabaseCreation.identifier;
import static io.twinbell.node.setup.DatabaseCreation.literal;

import io.twinbell.persistence.database.SchemaName;
import io.twinbell.persistence.database.WrongSchemaException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Makes another role the owner of an existing schema, and admits the nodes' role in the same transaction, so that
 * running nodes continue.
 */
final class SchemaMove {
    /** Owned sequences follow their tables. */
    private static final String MOVE = """
            do $$
            declare
              owner constant name := %1$s;
              object record;
            begin
              execute format('alter schema twinbell owner to %%I', owner);
              for object in
                select c.oid::regclass::text as name, case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind
                from pg_class c
                where c.relnamespace = 'twinbell'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
                  and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass
                                  and d.deptype in ('a', 'i') and d.refclassid = 'pg_class'::regclass and c.relkind = 'S')
                order by c.relname
              loop
                execute format('alter %%s %%s owner to %%I', object.kind, object.name, owner);
              end loop;
              for object in select p.oid::regprocedure as name from pg_proc p where p.pronamespace = 'twinbell'::regnamespace loop
                execute format('alter routine %%s owner to %%I', object.name, owner);
              end loop;
              for object in
                select t.oid::regtype as name from pg_type t join pg_class c on c.oid = t.typrelid
                where t.typnamespace = 'twinbell'::regnamespace and c.relkind = 'c'
              loop
                execute format('alter type %%s owner to %%I', object.name, owner);
              end loop;
            end $$""";

    private static final String OWNERS = """
            select pg_get_userbyid(n.nspowner), pg_get_userbyid(d.datdba),
                   to_regprocedure('twinbell.admit_node(name, integer)') is not null,
                   to_regclass('twinbell.flyway_schema_history') is not null
            from pg_namespace n, pg_database d where n.nspname = 'twinbell' and d.datname = current_database()""";

    /**
     * The nodes lock the same tables in another order. A wait is shorter than PostgreSQL's {@code deadlock_timeout}, so
     * that no statement of a node is the one that fails, and none waits for long.
     */
    private static final int ATTEMPTS = 60;

    /** lock_not_available and deadlock_detected. */
    private static final Set<String> LOCKED = Set.of("55P03", "40P01");

    private final SchemaName schema;
    private final Connection connection;
    private final String database;
    private final DatabaseCreation.DatabaseRoles roles;

    SchemaMove(SchemaName schema, Connection connection, String database, DatabaseCreation.DatabaseRoles roles) {
        this.schema = schema;
        this.connection = schema.on(connection);
        this.database = database;
        this.roles = roles;
    }

    /**
     * Returns what was done; empty if the schema belongs to its owner already.
     *
     * @throws WrongSchemaException if the schema is of a version without roles of nodes
     */
    Optional<String> move(int auditDays) throws SQLException {
        String from;
        String ofDatabase;
        boolean hasTables;
        try (PreparedStatement statement = connection.prepareStatement(OWNERS);
                ResultSet row = statement.executeQuery()) {
            row.next();
            from = row.getString(1);
            ofDatabase = row.getString(2);
            hasTables = row.getBoolean(4);
            if (from.equals(roles.owner().user())) {
                return Optional.empty();
            }
            if (hasTables && !row.getBoolean(3)) {
                throw new WrongSchemaException(
                        "the schema " + schema.name() + " belongs to role " + from
                                + " and is too old to be moved to another owner; run init-db without database.owner.user first");
            }
        }
        connection.setAutoCommit(false);
        for (int attempt = 1; !isMoved(ofDatabase, hasTables, auditDays, attempt == ATTEMPTS); attempt++) {
            pause();
        }
        connection.setAutoCommit(true);
        return Optional.of("moved schema " + schema.name() + " from role " + from + " to role "
                + roles.owner().user());
    }

    /** The server waits, because nothing else here measures time. */
    private void pause() throws SQLException {
        DatabaseCreation.execute(connection, "select pg_sleep(0.5)");
        connection.rollback();
    }

    /** Returns false if running nodes hold locks that this transaction would wait for. Nothing has changed then. */
    private boolean isMoved(String ofDatabase, boolean hasTables, int auditDays, boolean isLast) throws SQLException {
        try {
            moveInTransaction(ofDatabase, hasTables, auditDays);
            return true;
        } catch (SQLException e) {
            connection.rollback();
            if (isLast || !LOCKED.contains(e.getSQLState())) {
                throw e;
            }
            return false;
        }
    }

    private void moveInTransaction(String ofDatabase, boolean hasTables, int auditDays) throws SQLException {
        DatabaseCreation.execute(connection, "set local lock_timeout = '500ms'");
        DatabaseCreation.execute(
                connection,
                String.format(Locale.ROOT, MOVE, literal(roles.owner().user())));
        if (ofDatabase.equals(roles.node().user())) {
            DatabaseCreation.execute(
                    connection,
                    "alter database " + identifier(database) + " owner to "
                            + identifier(roles.owner().user()));
            // An owner's right to connect goes to the next owner.
            DatabaseCreation.execute(
                    connection,
                    "grant connect on database " + identifier(database) + " to "
                            + identifier(roles.node().user()));
        }
        if (hasTables) {
            DatabaseCreation.exists(
                    connection,
                    "select twinbell.admit_node(?, " + auditDays + ")",
                    roles.node().user());
        }
        connection.commit();
    }
}
