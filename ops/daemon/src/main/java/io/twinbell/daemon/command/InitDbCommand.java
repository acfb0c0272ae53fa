package io.twinbell.daemon.command;

import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.settings.Login;
import io.twinbell.node.setup.DatabaseCreation;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DatabaseUrl;
import io.twinbell.persistence.database.Migrations;
import io.twinbell.persistence.database.SchemaBusyException;
import io.twinbell.persistence.database.WrongSchemaException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.flywaydb.core.api.FlywayException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code init-db}: creates the database of a pair without starting a node. */
@Command(
        name = "init-db",
        description = "Creates roles, database and schema where they are missing, and migrates the schema to this"
                + " build's version. A second run changes nothing. Without --admin-user, it creates only the schema, as"
                + " the role database.owner.user, or as the node's own role if that key is not set.",
        exitCodeList = {"0:done", "1:refused, or no answer", "78:the configuration is invalid"},
        footer = {
            "  twinbell init-db --config conf/twinbell.yaml --admin-user postgres",
            "  twinbell init-db --config conf/twinbell.yaml --print > twinbell.sql"
        })
final class InitDbCommand implements Callable<Integer> {
    private static final int BAD_CONFIGURATION = 78;
    private static final int REFUSED = 1;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ConfigOptions options;

    @Option(
            names = "--admin-user",
            paramLabel = "ROLE",
            description = "Role that may create roles and databases. Its password is in --admin-password-file or"
                    + " PGPASSWORD.")
    private String adminUser;

    @Option(names = "--admin-password-file", paramLabel = "FILE", description = "File with the password of that role.")
    private Path adminPassword;

    @Option(
            names = "--admin-url",
            paramLabel = "URL",
            description = "JDBC URL for that role. Default: the database postgres on the server of database.url.")
    private String adminUrl;

    @Option(
            names = "--private",
            description = "Let only the roles of the pair connect, also if the database exists already. A database that"
                    + " this command creates admits no others.")
    private boolean isPrivate;

    @Option(names = "--print", description = "Print a psql script that creates the same role, database and schema.")
    private boolean print;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try {
            NodeConfig config = options.read(System.getenv());
            NodeConfig.Database database = config.database();
            DatabaseUrl url = new DatabaseUrl(database.url());
            if (!url.remoteHosts().isEmpty() && url.sslMode() == null) {
                spec.commandLine()
                        .getErr()
                        .println("database.url: " + String.join(", ", url.remoteHosts())
                                + " is on another machine: add sslmode=verify-full&sslrootcert=FILE, so that the"
                                + " server proves who it is, or sslmode=disable to send everything unencrypted");
                return BAD_CONFIGURATION;
            }
            DatabaseSettings node = settings(database, database.user(), database.password());
            Login owner = database.owner();
            DatabaseCreation creation = new DatabaseCreation(node, roles(config), isPrivate);
            if (print) {
                out.print(creation.script());
                out.println("-- "
                        + (owner == null ? "A node, or 'twinbell init-db' without --print," : "'twinbell init-db'")
                        + " creates the tables as role " + (owner == null ? database.user() : owner.user()) + ".");
                return 0;
            }
            int auditDays = config.retention().audit().days();
            if (adminUser != null) {
                creation.create(new DatabaseCreation.Admin(adminUrl, adminUser, password()), auditDays)
                        .forEach(out::println);
            }
            DatabaseSettings migrating = owner == null ? node : settings(database, owner.user(), owner.password());
            String version = Migrations.migrate(
                            migrating.schema(), migrating.forMigrations(), migrating.forMigrations())
                    .database();
            if (owner != null && DatabaseCreation.admit(migrating.forMigrations(), database.user(), auditDays)) {
                out.println("role " + database.user() + " may read and write the tables of role " + owner.user()
                        + ", create and drop nothing, and not change the audit, of which it keeps " + auditDays
                        + " days");
            }
            out.println("schema version " + version);
            return 0;
        } catch (ConfigException e) {
            e.errors().forEach(spec.commandLine().getErr()::println);
            return BAD_CONFIGURATION;
        } catch (DatabaseUnavailableException e) {
            spec.commandLine().getErr().println(firstLines(e));
            if (adminUser == null) {
                e.advice().ifPresent(spec.commandLine().getErr()::println);
            }
            return REFUSED;
        } catch (WrongSchemaException | SchemaBusyException | IllegalArgumentException | FlywayException e) {
            spec.commandLine().getErr().println(firstLines(e));
            return REFUSED;
        }
    }

    private static DatabaseSettings settings(NodeConfig.Database database, String user, String password) {
        return new NodeConfig.Database(database.url(), user, password, database.schema(), null)
                .settings("init-db", UUID.randomUUID());
    }

    private static DatabaseCreation.DatabaseRoles roles(NodeConfig config) {
        NodeConfig.Database database = config.database();
        return new DatabaseCreation.DatabaseRoles(
                database.owner(),
                new Login(database.user(), database.password()),
                config.handlers().sql().login());
    }

    private String password() {
        try {
            return adminPassword == null
                    ? System.getenv("PGPASSWORD")
                    : Files.readString(adminPassword).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read --admin-password-file " + adminPassword, e);
        }
    }

    private static String firstLines(RuntimeException e) {
        return String.join(
                " ",
                DatabaseUrl.masked(String.valueOf(e.getMessage()))
                        .lines()
                        .map(String::strip)
                        .filter(line -> !line.matches("-*"))
                        .limit(4)
                        .toList());
    }
}
