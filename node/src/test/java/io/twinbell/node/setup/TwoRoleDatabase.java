package io.twinbell.node.setup;

import io.twinbell.node.settings.Login;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.Migrations;
import io.twinbell.persistence.testing.TestPostgres;
import java.util.List;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/** A database as {@code init-db} creates it, whose schema belongs to another role than that of the nodes. */
public final class TwoRoleDatabase {
    /** The number of days for which nodes may not drop the audit. */
    public static final int AUDIT_DAYS = 100;

    private final PGSimpleDataSource server = TestPostgres.emptyDatabase();
    private final String name = "two_" + UUID.randomUUID().toString().substring(0, 8);
    private final PGSimpleDataSource owner = as(name + "_owner");
    private final PGSimpleDataSource node = as(name + "_node");

    public TwoRoleDatabase() {
        create();
        Migrations.migrate(owner);
        DatabaseCreation.admit(owner, node.getUser(), AUDIT_DAYS);
    }

    /** Returns what was changed. */
    public List<String> create() {
        DatabaseCreation.DatabaseRoles roles = new DatabaseCreation.DatabaseRoles(login(owner), login(node), null);
        return new DatabaseCreation(settings(node), roles, false)
                .create(
                        new DatabaseCreation.Admin(server.getUrl(), server.getUser(), server.getPassword()),
                        AUDIT_DAYS);
    }

    private static Login login(PGSimpleDataSource role) {
        return new Login(role.getUser(), role.getPassword());
    }

    private static DatabaseSettings settings(PGSimpleDataSource role) {
        return new DatabaseSettings(role.getUrl(), role.getUser(), role.getPassword(), "test", UUID.randomUUID());
    }

    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(server.getServerNames());
        source.setPortNumbers(server.getPortNumbers());
        source.setDatabaseName(name);
        source.setUser(role);
        source.setPassword(role);
        return source;
    }

    /** Sessions of a superuser. */
    public PGSimpleDataSource superuser() {
        PGSimpleDataSource source = as(server.getUser());
        source.setPassword(server.getPassword());
        return source;
    }

    public PGSimpleDataSource owner() {
        return owner;
    }

    public PGSimpleDataSource node() {
        return node;
    }
}
