package io.twinbell.persistence.database;

import io.twinbell.persistence.testing.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.opentest4j.TestAbortedException;
import org.postgresql.ds.PGSimpleDataSource;

/** A real PgBouncer before a real PostgreSQL. */
final class PgBouncer implements AutoCloseable {
    private final Process process;
    private final PGSimpleDataSource database;
    private final int port;

    private PgBouncer(Process process, PGSimpleDataSource database, int port) {
        this.process = process;
        this.database = database;
        this.port = port;
    }

    /** @param settings further lines of its configuration, beside addresses and access */
    static PgBouncer before(PGSimpleDataSource database, Path folder, String... settings) throws Exception {
        int port = FreePort.take();
        List<String> lines = new ArrayList<>(List.of(
                "[databases]",
                "* = host=" + database.getServerNames()[0] + " port=" + database.getPortNumbers()[0] + " user="
                        + database.getUser(),
                "[pgbouncer]",
                "listen_addr = 127.0.0.1",
                "listen_port = " + port,
                "unix_socket_dir =",
                "auth_type = any"));
        lines.addAll(List.of(settings));
        Path file = Files.write(folder.resolve("pgbouncer.ini"), lines);
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            // It refuses to run as root.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of("pgbouncer", file.toString()));
        try {
            Path log = folder.resolve("pgbouncer.log");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> !process.isAlive() || answers(port));
            if (!process.isAlive()) {
                throw skipped(Files.readString(log));
            }
            return new PgBouncer(process, database, port);
        } catch (IOException e) {
            throw skipped(e.getMessage());
        }
    }

    private static TestAbortedException skipped(String why) {
        System.out.println("skipped, because pgbouncer does not run here: " + why);
        return new TestAbortedException("pgbouncer does not run here: " + why);
    }

    DatabaseSettings settings() {
        return new DatabaseSettings(
                "jdbc:postgresql://127.0.0.1:" + port + "/" + database.getDatabaseName(),
                database.getUser(),
                database.getPassword(),
                "a",
                UUID.randomUUID());
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
