package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/** A real, single ZooKeeper server in this process. */
final class DevZooKeeper implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    private final ZooKeeperServerEmbedded server;

    private DevZooKeeper(ZooKeeperServerEmbedded server) {
        this.server = server;
    }

    static DevZooKeeper start(Path run, int port) throws Exception {
        Path home = Files.createDirectories(run.resolve("zookeeper"));
        forgetOldConfigurations(home);
        ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
                .baseDir(home)
                .configuration(configuration(port))
                .exitHandler(ExitHandler.LOG_ONLY)
                .build();
        server.start(START_LIMIT.toMillis());
        return new DevZooKeeper(server);
    }

    @Override
    public void close() {
        server.close();
    }

    private static Properties configuration(int port) {
        Properties configuration = new Properties();
        configuration.setProperty("clientPortAddress", LoopbackPort.ADDRESS);
        configuration.setProperty("clientPort", Integer.toString(port));
        // Session timeouts may be from 2 to 20 ticks.
        configuration.setProperty("tickTime", "2000");
        // A limit that is not needed, but without one the server warns at every start.
        configuration.setProperty("maxCnxns", "1000");
        configuration.setProperty("admin.enableServer", "false");
        configuration.setProperty("4lw.commands.whitelist", "srvr,ruok");
        configuration.setProperty("autopurge.snapRetainCount", "3");
        configuration.setProperty("autopurge.purgeInterval", "1");
        // KiB preallocated for each log file; the default of 64 MiB suits busier ensembles.
        configuration.setProperty("preAllocSize", "1024");
        return configuration;
    }

    /** Deletes old configurations: the embedded server writes a new file at every start and never removes one. */
    private static void forgetOldConfigurations(Path home) throws IOException {
        try (DirectoryStream<Path> old = Files.newDirectoryStream(home, "zookeeper.configuration*.properties")) {
            for (Path file : old) {
                Files.delete(file);
            }
        }
    }
}
