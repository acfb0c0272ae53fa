package io.twinbell.tools.importer.command;

import io.twinbell.tools.importer.JdbcSource;
import io.twinbell.tools.importer.SourceException;
import io.twinbell.tools.importer.quartz.serialized.SerializedFormReader;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Properties;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The database of another scheduler, and how to log in. */
final class SourceLogin {
    private static final String PASSWORD = "TWINBELL_IMPORT_PASSWORD";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(paramLabel = "JDBC_URL", description = "The database of the other scheduler.")
    private String url;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "The role to connect as; the password comes from " + PASSWORD + ".")
    private String user;

    @Option(
            names = "--driver",
            paramLabel = "JAR",
            description = "A JDBC driver. Default: the included driver for PostgreSQL.")
    private Path driver;

    /** Work on the open database. */
    @FunctionalInterface
    interface SourceRead<T> {
        T read(JdbcSource source) throws SourceException;
    }

    /** Connects, reads and disconnects; a store that cannot be read is a usage error. */
    <T> T read(SourceRead<T> read) {
        Properties login = new Properties();
        if (user != null) {
            login.setProperty("user", user);
        }
        String password = System.getenv(PASSWORD);
        if (password != null) {
            login.setProperty("password", password);
        }
        try (JdbcSource source = JdbcSource.open(url, login, driver, SerializedFormReader.MAX_BYTES)) {
            return read.read(source);
        } catch (SourceException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** @param typed null for the zone of this machine */
    static String zone(CommandSpec spec, String typed) {
        try {
            return (typed == null ? ZoneId.systemDefault() : ZoneId.of(typed)).getId();
        } catch (DateTimeException e) {
            throw new ParameterException(
                    spec.commandLine(), "--zone takes a zone such as Europe/Berlin, not \"" + typed + "\"", e);
        }
    }
}
