package io.twinbell.daemon.command;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.tools.cli.TypedCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.postgresql.ds.PGSimpleDataSource;

/** A real database and a real ZooKeeper, and the options that name them to a command. */
record TestServers(PGSimpleDataSource database, TestingServer zooKeeper) implements AutoCloseable {
    static TestServers start(PGSimpleDataSource database) throws Exception {
        return new TestServers(
                database, new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 500, -1), true));
    }

    static TestServers start() throws Exception {
        return start(TestPostgres.freshDatabase());
    }

    /** The settings for {@code --set}, for a node that listens on any free port. */
    List<String> sets() {
        List<String> sets = new ArrayList<>(List.of(
                "node.id=a",
                "http.port=0",
                "jmx.port=0",
                "database.url=" + database.getUrl(),
                "database.user=" + database.getUser(),
                "zookeeper.connect=" + zooKeeper.getConnectString()));
        if (database.getPassword() != null) {
            sets.add("database.password=" + database.getPassword());
        }
        return sets;
    }

    /** Runs a command with these servers. Later options override earlier ones. */
    TypedCommand twinbell(String command, String... more) {
        List<String> arguments = new ArrayList<>(List.of(command));
        for (String set : sets()) {
            arguments.addAll(List.of("--set", set));
        }
        arguments.addAll(List.of(more));
        return TypedCommand.twinbell(arguments.toArray(String[]::new));
    }

    @Override
    public void close() throws IOException {
        zooKeeper.close();
    }
}
