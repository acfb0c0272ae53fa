package io.twinbell.tools.devpair;

import static org.awaitility.Awaitility.await;

import io.twinbell.persistence.testing.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/** Dev services as a person runs them: a process of their own. */
final class ServicesProcess implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Path run;
    private final Path output;
    private final Process process;

    private ServicesProcess(Path run, Path output, Process process) {
        this.run = run;
        this.output = output;
        this.process = process;
    }

    static ServicesProcess launch(Path run, int postgresPort, int zooKeeperPort) throws IOException {
        Files.createDirectories(run);
        Path output = Files.createTempFile(run, "output", ".log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DevServices.class.getName(),
                        "--dir=" + run,
                        "--postgres-port=" + postgresPort,
                        "--zookeeper-port=" + zooKeeperPort)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new ServicesProcess(run, output, process);
    }

    /** On two free ports, and ready. */
    static ServicesProcess start(Path run) throws IOException {
        return launch(run, FreePort.take(), FreePort.take()).awaitReady();
    }

    ServicesProcess awaitReady() {
        await().atMost(LIMIT)
                .failFast("ended instead of getting ready", () -> !process.isAlive())
                // A killed predecessor leaves its file until the successor has got as far as removing it.
                .until(() -> Long.toString(process.pid()).equals(properties().getProperty("pid")));
        return this;
    }

    Connection superuser() throws SQLException {
        return connect("postgres", "postgres");
    }

    Connection twinbell() throws SQLException {
        return connect("twinbell", "twinbell");
    }

    String zooKeeper() {
        return LoopbackPort.ADDRESS + ":" + property("zookeeper.port");
    }

    Path postmasterPid() {
        return run.resolve("postgres").resolve("data").resolve("postmaster.pid");
    }

    ProcessHandle guardian() {
        return process.children()
                .filter(child -> child.info().commandLine().orElse("").contains("guardian"))
                .findFirst()
                .orElseThrow();
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    int stop() {
        process.destroy();
        return process.onExit().join().exitValue();
    }

    int awaitExit() {
        return process.onExit().join().exitValue();
    }

    String output() throws IOException {
        return Files.readString(output);
    }

    /** Leaves nothing behind: when the pid file has gone, PostgreSQL has. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
        await().atMost(LIMIT).until(() -> Files.notExists(postmasterPid()));
    }

    private Connection connect(String user, String database) throws SQLException {
        return connect(user, database, password());
    }

    String password() {
        try {
            return DevPassword.in(run);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Connection connect(String user, String database, String password) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://" + LoopbackPort.ADDRESS + ":" + property("postgres.port") + "/" + database,
                user,
                password);
    }

    private String property(String key) {
        return properties().getProperty(key);
    }

    /** Empty while the services are not ready. */
    private Properties properties() {
        Properties properties = new Properties();
        try (InputStream file = Files.newInputStream(run.resolve("services.properties"))) {
            properties.load(file);
        } catch (NoSuchFileException notReady) {
            return properties;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }
}
