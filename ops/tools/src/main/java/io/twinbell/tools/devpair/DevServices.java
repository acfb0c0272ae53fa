package io.twinbell.tools.devpair;

import java.nio.file.Path;
import java.util.concurrent.Callable;
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

    private final StopInReverse started = new StopInReverse();

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
        Runtime.getRuntime().addShutdownHook(new Thread(started::close, "stop-dev-services"));
        try {
            start(directory.toAbsolutePath().normalize()).gone().join();
            return POSTGRES_GONE;
        } catch (RefusedToStart refused) {
            System.err.println(refused.getMessage());
            return REFUSED;
        }
    }

    private DevPostgres start(Path run) throws Exception {
        started.add(RunDirectory.claim(run));
        ServicesFile file = started.add(new ServicesFile(run));
        DevPostgres.endPredecessor(run);
        LoopbackPort.requireFree("PostgreSQL", postgresPort, "--postgres-port");
        if (!withoutZooKeeper) {
            LoopbackPort.requireFree("ZooKeeper", zooKeeperPort, "--zookeeper-port");
            say("Starting ZooKeeper on port " + zooKeeperPort);
            started.add(DevZooKeeper.start(run, zooKeeperPort));
        }
        DevPostgres postgres = started.add(DevPostgres.start(run, postgresAddress, postgresPort, DevServices::say));
        file.write(postgresPort, zooKeeperPort);
        say("Ready: PostgreSQL on port " + postgresPort
                + (withoutZooKeeper ? "" : ", ZooKeeper on port " + zooKeeperPort));
        return postgres;
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
