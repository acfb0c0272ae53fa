package io.twinbell.lab.own;

import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.server.ElectionOperator;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.lab.stage.LocalServers;
import io.twinbell.tools.client.TokenSource;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.DrillTimeline;
import io.twinbell.tools.drill.UndoStack;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A pair that a drill starts for itself, with its own servers, so that any fault can be applied. It ends with the
 * drill.
 */
public final class OwnPair implements DrilledPair, AutoCloseable {
    /** The host of PostgreSQL. */
    public static final String DATABASE = ComponentHosts.DATABASE;

    /** The home of the second PostgreSQL server in the run directory, if there is one. */
    static final String SECOND_DATABASE = "database2";

    private final Path run;
    private final PairLayout layout;
    private final ComponentHosts hosts;
    private final PortBlock ports;
    private final UndoStack parts;
    private final Map<String, OwnNode> nodes = new LinkedHashMap<>();
    private final Map<String, TcpProxy> proxies = new LinkedHashMap<>();
    private final Map<String, FakeClock> clocks = new LinkedHashMap<>();
    private OwnEnsemble ensemble;
    private OwnDatabase database;
    private Replication replication;
    private SmallDisk disk;

    private OwnPair(Path run, PairLayout layout, ComponentHosts hosts, PortBlock ports, UndoStack parts) {
        this.run = run;
        this.layout = layout;
        this.hosts = hosts;
        this.ports = ports;
        this.parts = parts;
    }

    /**
     * Starts a pair; deletes what an earlier one stored.
     *
     * @param run the directory for everything that it writes
     * @param firstPort the first of {@link PortBlock#COUNT} ports
     */
    public static OwnPair start(Path run, PairLayout layout, int firstPort, ConditionPoll poll, DrillTimeline timeline)
            throws IOException, DrillException {
        UndoStack parts = new UndoStack(timeline::printProblem);
        DirectoryLock directoryLock = DirectoryLock.of(run);
        parts.add("unlock " + run, directoryLock::close);
        try {
            ComponentHosts hosts = layout == PairLayout.NAMESPACES
                    ? NamespaceHosts.make(Stream.concat(
                                    Stream.concat(NODES.stream(), Stream.of(ComponentHosts.DATABASE)),
                                    ComponentHosts.ENSEMBLE.stream())
                            .toList())
                    : new LoopbackHosts();
            parts.add("remove the hosts", hosts::close);
            OwnPair pair =
                    new OwnPair(run.toAbsolutePath().normalize(), layout, hosts, new PortBlock(firstPort), parts);
            timeline.print("starting a temporary pair in " + run + " (" + layout + ")");
            pair.start(poll);
            timeline.print("the temporary pair runs");
            return pair;
        } catch (IOException | DrillException | RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private void start(ConditionPoll poll) throws IOException, DrillException {
        deleteRemains(run);
        Files.createDirectories(run.resolve("logs"));
        disk = disk(run);
        if (layout == PairLayout.DISK) {
            parts.add("delete what PostgreSQL stored", () -> deleteData(run));
        }
        ensemble = new OwnEnsemble(run, hosts, ports);
        parts.add("stop ZooKeeper", ensemble::close);
        ensemble.start();
        database = new OwnDatabase(run, hosts, ports.database(), poll);
        parts.add("stop PostgreSQL", database::close);
        database.start();
        if (layout == PairLayout.REPLICA) {
            replicate(poll);
        }
        for (String node : NODES) {
            OwnNode started = new OwnNode(run, place(node), servers(node), poll);
            nodes.put(node, started);
            parts.add("stop node " + node, started::close);
            started.start();
        }
    }

    private void replicate(ConditionPoll poll) throws IOException, DrillException {
        Path home = Files.createDirectories(run.resolve(SECOND_DATABASE));
        disk(home);
        OwnDatabase second = new OwnDatabase(home, hosts, ports.secondDatabase(), poll);
        parts.add("stop the second PostgreSQL", second::close);
        replication = new Replication(database, second, poll);
        replication.begin();
    }

    /** A file system for PostgreSQL's data; null if none can be mounted for this drill alone. */
    private SmallDisk disk(Path home) throws IOException {
        if (!InOwnNetwork.isInside() || layout == PairLayout.DISK) {
            return null;
        }
        SmallDisk mounted =
                SmallDisk.mount(Files.createDirectories(home.resolve("postgres").resolve("data")));
        parts.add("unmount the small disk", mounted::close);
        return mounted;
    }

    private OwnNode.NodeSite place(String node) throws IOException {
        List<String> before =
                Stream.concat(hosts.on(node).stream(), clock(node).stream()).toList();
        return new OwnNode.NodeSite(node, hosts.address(node), ports.http(node), ports.jmx(node), before);
    }

    private List<String> clock(String node) throws IOException {
        if (layout != PairLayout.CLOCKS) {
            return List.of();
        }
        FakeClock clock = new FakeClock(run.resolve("clock-" + node));
        clocks.put(node, clock);
        return clock.words();
    }

    private OwnNode.Servers servers(String node) throws IOException {
        if (layout == PairLayout.REPLICA) {
            String both = hosts.address(ComponentHosts.DATABASE) + ":" + ports.database() + ","
                    + hosts.address(ComponentHosts.DATABASE) + ":" + ports.secondDatabase();
            return new OwnNode.Servers(
                    "jdbc:postgresql://" + both + "/twinbell?targetServerType=primary", ensemble.connect());
        }
        if (layout != PairLayout.PROXIES) {
            return new OwnNode.Servers(
                    url(hosts.address(ComponentHosts.DATABASE), ports.database()), ensemble.connect());
        }
        String url = url(LoopbackHosts.ADDRESS, proxy(node, ComponentHosts.DATABASE, ports.database()));
        StringBuilder connect = new StringBuilder();
        for (String member : ComponentHosts.ENSEMBLE) {
            connect.append(connect.isEmpty() ? "" : ",")
                    .append(LoopbackHosts.ADDRESS)
                    .append(':')
                    .append(proxy(node, member, ports.clients(member)));
        }
        return new OwnNode.Servers(url, connect.toString());
    }

    private static String url(String host, int port) {
        return "jdbc:postgresql://" + host + ":" + port + "/twinbell";
    }

    private int proxy(String node, String server, int port) throws IOException {
        TcpProxy proxy = TcpProxy.listen(
                LoopbackHosts.ADDRESS, ports.proxy(node, server), new InetSocketAddress(hosts.address(server), port));
        proxies.put(node + " " + server, proxy);
        parts.add("stop the proxy of node " + node, proxy::close);
        return proxy.port();
    }

    public PairLayout layout() {
        return layout;
    }

    /** The network between the components. */
    public NamespaceHosts network() throws DrillException.Refused {
        if (hosts instanceof NamespaceHosts namespaceHosts) {
            return namespaceHosts;
        }
        throw new DrillException.Refused("the pair does not run in network namespaces");
    }

    public OwnEnsemble ensemble() {
        return ensemble;
    }

    /** PostgreSQL; the primary if there are two servers. */
    public OwnDatabase server() {
        return replication == null ? database : replication.primary();
    }

    /** The primary and its replica. */
    public Replication replication() throws DrillException.Refused {
        if (replication == null) {
            throw new DrillException.Refused("the pair's PostgreSQL has no replica");
        }
        return replication;
    }

    /** Backs up PostgreSQL while it runs. */
    public Backup backUp() throws IOException {
        return Backup.of(server(), Files.createTempDirectory(run, "backup-").resolve("data"));
    }

    /** Starts a node that is not running, without waiting for it. */
    public void launch(String node) throws IOException {
        nodes.get(node).launch();
    }

    /** The output of the command {@code doctor} for a node's configuration. */
    public String doctor(String node, String... arguments) throws IOException {
        return nodes.get(node).doctor(arguments);
    }

    /**
     * Clones PostgreSQL and starts it with its own ensemble and two nodes, beside this pair; returns when the clone
     * runs.
     */
    public ClonedPair cloneElsewhere(ConditionPoll poll) throws IOException, DrillException {
        Path home = Files.createTempDirectory(run, "clone-");
        return ClonedPair.start(home, backUp(), hosts, new PortBlock(ports.first() + PortBlock.OF_A_PAIR), poll);
    }

    /** PostgreSQL's own file system, if it has one. */
    public Optional<SmallDisk> disk() {
        return Optional.ofNullable(disk);
    }

    /** The proxy between a node and PostgreSQL. */
    public TcpProxy databaseProxy(String node) {
        return proxies.get(node + " " + ComponentHosts.DATABASE);
    }

    /** The proxies between a node and each member of the ensemble. */
    public List<TcpProxy> zooKeeperProxies(String node) {
        return ComponentHosts.ENSEMBLE.stream()
                .map(member -> proxies.get(node + " " + member))
                .toList();
    }

    /** The clock of a node. */
    public FakeClock clockOf(String node) {
        return clocks.get(node);
    }

    @Override
    public Path run() {
        return run;
    }

    @Override
    public URI address(String node) {
        return nodes.get(node).address();
    }

    @Override
    public TokenSource tokens() {
        return OwnNode.tokens(run);
    }

    @Override
    public String receiverHost() {
        return hosts.drill();
    }

    @Override
    public LocalServers servers() {
        return new LocalServers(server().home(), ensemble.processes());
    }

    @Override
    public Optional<ProcessHandle> process(String node) {
        return nodes.get(node).process();
    }

    @Override
    public void start(String node) throws IOException, DrillException {
        nodes.get(node).start();
    }

    @Override
    public DatabaseOperator database() throws IOException {
        return server().operator();
    }

    @Override
    public ElectionOperator election() {
        return new ElectionOperator(ensemble.connect());
    }

    @Override
    public void close() {
        parts.close();
    }

    /** Deletes what the servers of an earlier pair stored. Keeps PostgreSQL's unpacked binaries and the latest logs. */
    private static void deleteRemains(Path run) throws IOException {
        for (Path home : List.of(run, run.resolve(SECOND_DATABASE))) {
            deleteData(home);
            remove(home.resolve("tmp"));
            keepOnce(home.resolve("logs"));
        }
        for (String member : ComponentHosts.ENSEMBLE) {
            remove(run.resolve(member));
        }
    }

    /** Deletes what the PostgreSQL server of a home stored. */
    private static void deleteData(Path home) throws IOException {
        remove(home.resolve("postgres").resolve("data"));
    }

    /** Keeps the previous pair's logs for one more pair, because they may explain a round that was broken off. */
    private static void keepOnce(Path logs) throws IOException {
        Path before = logs.resolveSibling("logs-before");
        if (Files.exists(logs)) {
            remove(before);
            Files.move(logs, before);
        }
    }

    private static void remove(Path top) throws IOException {
        if (Files.notExists(top)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> tree = Files.walk(top)) {
            deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.delete(path);
        }
    }
}
