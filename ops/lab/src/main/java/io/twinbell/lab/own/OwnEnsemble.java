package io.twinbell.lab.own;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The ZooKeeper ensemble of a drill's own pair: three servers, each in its own process. */
public final class OwnEnsemble implements AutoCloseable {
    private final Path home;
    private final ComponentHosts hosts;
    private final PortBlock ports;
    private final Map<String, BoundProcess> running = new LinkedHashMap<>();

    OwnEnsemble(Path home, ComponentHosts hosts, PortBlock ports) {
        this.home = home;
        this.hosts = hosts;
        this.ports = ports;
    }

    public List<String> members() {
        return ComponentHosts.ENSEMBLE;
    }

    /** Deletes what an earlier ensemble stored, and starts all servers. */
    void start() throws IOException {
        for (String member : members()) {
            Files.createDirectories(data(member));
            Files.writeString(data(member).resolve("myid"), number(member) + "\n");
            Files.write(configuration(member), lines(member));
        }
        for (String member : members()) {
            start(member);
        }
    }

    /** Starts a server that is not running. */
    public void start(String member) throws IOException {
        Path log = home.resolve("logs").resolve(member + ".log");
        List<String> command = new ArrayList<>(hosts.on(member));
        command.addAll(ProcessCommands.server(
                "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                List.of("-Dlogback.configurationFile=io/twinbell/lab/own/ensemble-logback.xml"),
                List.of(configuration(member).toString())));
        running.put(member, BoundProcess.start(log, command));
    }

    /** Kills a server, as a failing machine would. */
    public void stop(String member) throws IOException {
        running.remove(member).close();
    }

    public void stopAll() throws IOException {
        for (String member : List.copyOf(running.keySet())) {
            stop(member);
        }
    }

    /** Starts the servers that are not running. */
    public void startMissing() throws IOException {
        for (String member : members()) {
            if (!running.containsKey(member)) {
                start(member);
            }
        }
    }

    List<ProcessHandle> processes() {
        return running.values().stream()
                .flatMap(boundProcess -> boundProcess.process().stream())
                .toList();
    }

    /** The connect string for clients that use no proxy. */
    String connect() {
        return members().stream()
                .map(member -> hosts.address(member) + ":" + ports.clients(member))
                .collect(Collectors.joining(","));
    }

    private List<String> lines(String member) {
        List<String> lines = new ArrayList<>(List.of(
                "dataDir=" + data(member),
                "clientPort=" + ports.clients(member),
                "clientPortAddress=" + hosts.address(member),
                "tickTime=2000",
                "initLimit=10",
                "syncLimit=5",
                "admin.enableServer=false",
                "preAllocSize=1024",
                "maxCnxns=1000",
                "4lw.commands.whitelist=srvr,ruok"));
        for (String other : members()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "server.%d=%s:%d:%d",
                    number(other),
                    hosts.address(other),
                    ports.quorum(other),
                    ports.election(other)));
        }
        return lines;
    }

    private static int number(String member) {
        return ComponentHosts.ENSEMBLE.indexOf(member) + 1;
    }

    private Path data(String member) {
        return home.resolve(member);
    }

    private Path configuration(String member) {
        return home.resolve(member + ".cfg");
    }

    @Override
    public void close() throws IOException {
        stopAll();
    }
}
