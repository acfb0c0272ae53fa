package io.twinbell.lab.own;

import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.stage.LocalServers;
import io.twinbell.tools.devpair.DevPassword;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.ProcessSignals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A PostgreSQL server of a drill's own pair. */
public final class OwnDatabase implements AutoCloseable {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private final Path home;
    private final ComponentHosts hosts;
    private final int port;
    private final ConditionPoll poll;
    private BoundProcess boundProcess;

    OwnDatabase(Path home, ComponentHosts hosts, int port, ConditionPoll poll) {
        this.home = home;
        this.hosts = hosts;
        this.port = port;
        this.poll = poll;
    }

    /** Starts the server; returns when it accepts connections. */
    public void start() throws IOException, DrillException {
        Path ready = home.resolve("services.properties");
        Files.createDirectories(home.resolve("logs"));
        Files.deleteIfExists(ready);
        List<String> command = new ArrayList<>(hosts.on(ComponentHosts.DATABASE));
        command.addAll(ProcessCommands.server(
                "io.twinbell.tools.devpair.DevServices",
                List.of("-Djava.io.tmpdir=" + Files.createDirectories(home.resolve("tmp"))),
                List.of(
                        "--dir",
                        home.toString(),
                        "--postgres-port",
                        Integer.toString(port),
                        "--postgres-address",
                        hosts.address(ComponentHosts.DATABASE),
                        "--without-zookeeper")));
        if (boundProcess != null) {
            boundProcess.close();
        }
        boundProcess = BoundProcess.start(home.resolve("logs").resolve("database.log"), command);
        poll.until(
                "PostgreSQL accepts connections", POLL_INTERVAL, () -> Files.exists(ready) || !boundProcess.isAlive());
        if (!boundProcess.isAlive()) {
            throw new DrillException.Failed("PostgreSQL did not start; see " + home + "/logs/database.log");
        }
    }

    public boolean runs() {
        return boundProcess != null && boundProcess.isAlive();
    }

    /** The server's processes. */
    public LocalServers processes() {
        return new LocalServers(home, List.of());
    }

    /** Stops the server as an administrator would, ending every session. */
    public void stop() throws IOException, DrillException {
        ProcessSignals.send("INT", processes().postmaster());
        poll.until("PostgreSQL has stopped", POLL_INTERVAL, () -> !boundProcess.isAlive());
    }

    /** Kills all its processes at once, as a power failure would; returns when they have ended. */
    public void kill() throws IOException, DrillException {
        killAtOnce();
        awaitKilled();
    }

    /** Kills all its processes and returns at once. */
    public void killAtOnce() throws IOException, DrillException {
        ProcessHandle postmaster = processes().postmaster();
        List<ProcessHandle> children = postmaster.children().toList();
        // The postmaster first, so that it neither starts new processes nor recovers.
        postmaster.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    /** Returns when the killed processes have ended. */
    public void awaitKilled() throws DrillException {
        poll.until("PostgreSQL was killed", POLL_INTERVAL, () -> !boundProcess.isAlive());
    }

    /** Restarts the server as a standby server that follows no primary. */
    public void demote() throws IOException, DrillException {
        stop();
        Files.createFile(home.resolve("postgres").resolve("data").resolve("standby.signal"));
        start();
    }

    /** Promotes the server; returns when it accepts writes. */
    public void promote() throws IOException, DrillException {
        if (!runs()) {
            start();
        }
        operator().promote();
    }

    /** Administers the server as its superuser. */
    public DatabaseOperator operator() throws IOException {
        return new DatabaseOperator(address(), port, DevPassword.in(home));
    }

    /** The server's own run directory. */
    Path home() {
        return home;
    }

    String address() {
        return hosts.address(ComponentHosts.DATABASE);
    }

    @Override
    public String toString() {
        return address() + ":" + port;
    }

    int port() {
        return port;
    }

    @Override
    public void close() throws IOException {
        if (boundProcess != null && boundProcess.isAlive()) {
            boundProcess.process().ifPresent(ProcessHandle::destroy);
            try {
                poll.until("PostgreSQL has stopped", POLL_INTERVAL, () -> !boundProcess.isAlive());
            } catch (DrillException slow) {
                // The postmaster is then killed, and its guardian ends PostgreSQL.
            }
        }
        if (boundProcess != null) {
            boundProcess.close();
        }
    }
}
