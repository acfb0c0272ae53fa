package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs the PostgreSQL and ZooKeeper servers of a development pair. They run in a separate process, so that killing a
 * node does not kill them. Their data stays in the directory between starts. The process ends on SIGTERM, and when
 * PostgreSQL has ended. Exit code 2 means that it refused to start; the reason is on standard error.
 */
@Command(
        name = "dev-services",
        mixinStandardHelpOptions = true,
        description = "Starts PostgreSQL and ZooKeeper on 127.0.0.1 for a development pair.")
public final class DevServices implements Callable<Integer> {
    private static final String LOG_CONFIGURATION = "logback.configurationFile";
    private static final int POSTGRES_GONE = 1;
    private static final int REFUSED = 2;

    @Option(names = "--dir", required = true, description = "The directory for data and logs.")
    private Path directory;

    @Option(names = "--postgres-port", defaultValue = "54329", description = "Default: ${DEFAULT-VALUE}.")
    private int postgresPort;

    @Option(names = "--zookeeper-port", defaultValue = "21819", description = "Default: ${DEFAULT-VALUE}.")
    private int zooKeeperPort;

    @Option(
            names = "--postgres-address",
            defaultValue = LoopbackPort.ADDRESS,
            description = "An additional address on which PostgreSQL listens. Default: only 127.0.0.1.")
    private String postgresAddress;

    @Option(names = "--without-zookeeper", description = "Start only PostgreSQL.")
    private boolean withoutZooKeeper;

    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    private DevServices() {}

    public static void main(String[] arguments) {
        if (System.getProperty(LOG_CONFIGURATION) == null) {
            System.setProperty(LOG_CONFIGURATION, "io/twinbell/tools/devpair/logback.xml");
        }
        // Exits instead of returning: ZooKeeper's threads would keep the process alive, and exit stops both servers.
        System.exit(new CommandLine(new DevServices()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop-dev-services"));
        try {
            start(directory.toAbsolutePath().normalize()).gone().join();
            return POSTGRES_GONE;
        } catch (RefusedToStart refused) {
            System.err.println(refused.getMessage());
            return REFUSED;
        }
    }

    private DevPostgres start(Path run) throws Exception {
        add(claim(run));
        Path services = run.resolve("services.properties");
        // A killed predecessor's file must not be taken for that of this process.
        Files.deleteIfExists(services);
        add(() -> Files.deleteIfExists(services));
        DevPostgres.endPredecessor(run);
        LoopbackPort.requireFree("PostgreSQL", postgresPort, "--postgres-port");
        if (!withoutZooKeeper) {
            LoopbackPort.requireFree("ZooKeeper", zooKeeperPort, "--zookeeper-port");
            say("Starting ZooKeeper on port " + zooKeeperPort);
            add(DevZooKeeper.start(run, zooKeeperPort));
        }
        DevPostgres postgres = add(DevPostgres.start(run, postgresAddress, postgresPort, DevServices::say));
        publish(services);
        say("Ready: PostgreSQL on port " + postgresPort
                + (withoutZooKeeper ? "" : ", ZooKeeper on port " + zooKeeperPort));
        return postgres;
    }

    /** Locks the run directory for this process. The kernel releases the lock when the process dies. */
    private static FileChannel claim(Path run) throws IOException, RefusedToStart {
        Files.createDirectories(run.resolve("logs"));
        FileChannel channel =
                FileChannel.open(run.resolve("services.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (channel.tryLock() == null) {
            channel.close();
            throw new RefusedToStart("Another process already runs PostgreSQL and ZooKeeper from " + run);
        }
        return channel;
    }

    /** Writes the file that exists only while both servers accept connections. */
    private void publish(Path services) throws IOException {
        String text = String.format(
                Locale.ROOT,
                "pid=%d%npostgres.port=%d%nzookeeper.port=%d%n",
                ProcessHandle.current().pid(),
                postgresPort,
                zooKeeperPort);
        Path draft = services.resolveSibling(services.getFileName() + ".draft");
        Files.writeString(draft, text);
        Files.move(draft, services, StandardCopyOption.ATOMIC_MOVE);
    }

    private synchronized <T extends AutoCloseable> T add(T part) {
        started.push(part);
        return part;
    }

    /** Stops everything in reverse order, even if some part fails to stop, because the others must not outlive it. */
    private synchronized void stop() {
        while (!started.isEmpty()) {
            AutoCloseable part = started.pop();
            try {
                part.close();
            } catch (Exception e) {
                // Not earlier: main names the configuration of the log.
                LoggerFactory.getLogger(DevServices.class).error("Cannot stop {}", part, e);
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
