package io.twinbell.compare;

import io.twinbell.tools.devpair.DevServices;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs PostgreSQL and ZooKeeper for a comparison in their own process. */
final class ComparisonServers implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(120);

    private final Path folder;
    private final int postgresPort;
    private final int zooKeeperPort;
    private Process process;

    private ComparisonServers(Path folder, int postgresPort, int zooKeeperPort) {
        this.folder = folder;
        this.postgresPort = postgresPort;
        this.zooKeeperPort = zooKeeperPort;
    }

    /** Starts the servers; twice the first time, because 1 GB of shared buffers needs a restart of PostgreSQL. */
    static ComparisonServers start(Path folder, int postgresPort, int zooKeeperPort) throws Exception {
        ComparisonServers servers = new ComparisonServers(folder, postgresPort, zooKeeperPort);
        servers.launch();
        Databases.NewDatabase server = servers.databases().named("postgres");
        if (!server.text("show shared_buffers").equals("1GB")) {
            server.execute("alter system set shared_buffers = '1GB'");
            servers.close();
            servers.launch();
        }
        for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
            if (!server.text("show " + setting).equals("on")) {
                throw new IllegalStateException(setting + " is not on");
            }
        }
        return servers;
    }

    Databases databases() {
        return new Databases(postgresPort);
    }

    int postgresPort() {
        return postgresPort;
    }

    String zooKeeper() {
        return "127.0.0.1:" + zooKeeperPort;
    }

    private void launch() throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Path ready = folder.resolve("services.properties");
        Files.deleteIfExists(ready);
        // All contenders log in as the superuser, whose password is its name.
        Files.writeString(folder.resolve("postgres.password"), Databases.USER);
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DevServices.class.getName(),
                        "--dir",
                        folder.toString(),
                        "--postgres-port",
                        Integer.toString(postgresPort),
                        "--zookeeper-port",
                        Integer.toString(zooKeeperPort))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(folder.resolve("services.log").toFile()))
                .start();
        long begun = System.nanoTime();
        while (!Files.exists(ready)) {
            if (!process.isAlive() || System.nanoTime() - begun > START_LIMIT.toNanos()) {
                throw new IOException("the servers did not start; see " + folder.resolve("services.log"));
            }
            Thread.sleep(100);
        }
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            process.onExit().get(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new IOException("the servers had to be killed", e);
        }
    }
}
